import IMScript

/// What a value that was refused should have been: a unit, a range.
package enum ValueHint {
    /// - Parameter message: the library's: `The value '5' is invalid for '--watchdog <duration>'`.
    package static func hint(for message: String) -> String? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard message.contains(" is invalid for '"), parts.count >= 4 else { return nil }
        let (value, place) = (parts[1], parts[3])
        if place.hasSuffix("<duration>") || place == "duration" {
            let isNumber = Double(value) != nil
            return isNumber ? "a duration has a unit: \(value)s, \(value)ms or \(value)m" : "as in 250ms, 5s, 2m or 1h"
        }
        if place.hasSuffix("<host:port>") { return "as in 127.0.0.1:7000 or [::1]:7000; a port is from 0 to 65535" }
        if place.hasSuffix("<factor>") {
            let range = "from \(TimeScale.factorMin) to \(Int(TimeScale.factorMax))"
            return "a number \(range): 1 is real time, 20 is twenty times as fast"
        }
        return nil
    }
}
