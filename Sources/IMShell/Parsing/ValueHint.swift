import IMDebugger
import IMText

/// The hint for an invalid value: an example of the valid form, or the allowed range.
package enum ValueHint {
    /// - Parameter message: ArgumentParser's message, such as `The value '5' is invalid for '--watchdog <duration>'`.
    package static func hint(for message: String) -> String? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard message.contains(" is invalid for '"), parts.count >= 4 else { return nil }
        let (value, argument) = (parts[1], parts[3])
        if argument.hasSuffix("<duration>") || argument == "duration" {
            // True if only the unit is missing: the value is a valid duration with any unit.
            let isNumber = ["s", "ms", "m"].allSatisfy { DurationText.interval(value + $0) != nil }
            let example =
                isNumber
                ? "a duration needs a unit: \(value)s, \(value)ms or \(value)m" : "for example 250ms, 5s, 2m or 1h"
            return "\(example); \(DurationText.range)"
        }
        return hints.first { argument.hasSuffix("<\($0.valueName)>") }?.hint
    }

    private static let hints: [(valueName: String, hint: String)] = [
        ("offset", "for example +1h, -5s or 0s; from -2562047h to +2562047h"),
        (
            "time",
            "for example 2026-02-03T04:05:06Z, from 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z; or seconds since "
                + "1970, from -9223372036 to 9223372036"
        ),
        ("first..last", "for example 1..1000, 1000.. or 7; a seed is from 0 to \(UInt64.max - 1)"),
        ("i/n", "for example 2/4; i is from 1 to n, and n is from 1 to \(UInt64.max)"),
        ("host:port", "for example 127.0.0.1:7000 or [::1]:7000; a port is from 0 to 65535"),
        (
            "factor",
            "a number from \(TimeScale.factorMin) to \(Int(TimeScale.factorMax)): 1 is real time, 20 is twenty times "
                + "as fast"
        ),
    ]
}
