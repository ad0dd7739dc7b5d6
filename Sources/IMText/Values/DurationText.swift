import SansIO

/// Parses durations such as `250ms`, `5s`, `2m`, `1h`, `1.5s`, `100us`, `9m40s`.
package enum DurationText {
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ]

    /// The allowed durations, for error messages.
    package static let range = "from 0s to 2562047h"

    /// The duration of a text; nil if it is invalid or longer than 292 years. Each number has a unit, larger units come
    /// before smaller ones, and only the last number may have a fraction.
    package static func interval(_ text: String) -> Interval? {
        magnitude(text, isNegative: false).map(Interval.init(nanoseconds:))
    }

    /// The duration of a text with an optional sign: `+5s`, `-1h`; nil if it is invalid.
    package static func signedInterval(_ text: String) -> Interval? {
        switch text.first {
        case "-": magnitude(String(text.dropFirst()), isNegative: true).map(Interval.init(nanoseconds:))
        case "+": interval(String(text.dropFirst()))
        default: interval(text)
        }
    }

    private static func magnitude(_ text: String, isNegative: Bool) -> Int64? {
        // Most texts are words and not numbers, so they are rejected first.
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        var rest = text[...]
        var total: Int64 = 0
        var last: Int64 = .max
        repeat {
            let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            let name = rest.dropFirst(number.count).prefix { !("0"..."9").contains($0) && $0 != "." }
            rest = rest.dropFirst(number.count + name.count)
            guard let unit = units.first(where: { $0.name == name }), unit.nanoseconds < last,
                rest.isEmpty || !number.contains("."),
                let part = part(number, of: unit.nanoseconds, isNegative: isNegative)
            else { return nil }
            last = unit.nanoseconds
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
        } while !rest.isEmpty
        return total
    }

    private static func part(_ number: Substring, of unit: Int64, isNegative: Bool) -> Int64? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, !(parts.count == 2 && parts[1].isEmpty) else { return nil }
        // The sign is applied before the multiplication, because `Int64.min` has no positive counterpart.
        let sign: Int64 = isNegative ? -1 : 1
        guard let count = Int64((isNegative ? "-" : "") + whole) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        guard parts.count == 2 else { return product }
        guard parts[1].allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        let (sum, sumOverflow) = product.addingReportingOverflow(sign * fraction(parts[1], of: unit))
        return sumOverflow ? nil : sum
    }

    /// The nanoseconds of the fraction `0.digits` of a unit, rounded towards zero.
    private static func fraction(_ digits: Substring, of unit: Int64) -> Int64 {
        // The twelfth decimal of an hour is less than ten nanoseconds; more digits could overflow.
        let digits = digits.prefix(12)
        guard let numerator = Int64(digits) else { return 0 }
        let denominator = digits.reduce(Int64(1)) { product, _ in product * 10 }
        return denominator.dividingFullWidth(numerator.multipliedFullWidth(by: unit)).quotient
    }
}

extension Interval {
    /// The shortest text from which `DurationText` reads this interval: `250ms`, `12.5s`, `2m`, `1h`.
    package var text: String {
        let magnitude = nanoseconds.magnitude
        let sign = nanoseconds < 0 ? "-" : ""
        if magnitude == 0 { return "0s" }
        for (name, unit) in [("h", UInt64(3_600_000_000_000)), ("m", 60_000_000_000)] where magnitude % unit == 0 {
            return "\(sign)\(magnitude / unit)\(name)"
        }
        for (name, digits, unit) in [("s", 9, UInt64(1_000_000_000)), ("ms", 6, 1_000_000), ("us", 3, 1_000)]
        where magnitude >= unit {
            return sign + Self.decimal(magnitude, unit: unit, digits: digits) + name
        }
        return "\(sign)\(magnitude)ns"
    }

    /// Seconds with a sign and three decimals, as timelines of a session show them: `+3.250s`.
    package var offsetText: String {
        let milliseconds = nanoseconds.magnitude / 1_000_000
        let rest = String(milliseconds % 1_000)
        let padding = String(repeating: "0", count: 3 - rest.count)
        return "\(nanoseconds < 0 ? "-" : "+")\(milliseconds / 1_000).\(padding)\(rest)s"
    }

    private static func decimal(_ magnitude: UInt64, unit: UInt64, digits: Int) -> String {
        let rest = magnitude % unit
        guard rest > 0 else { return "\(magnitude / unit)" }
        let written = String(rest)
        var fraction = String(repeating: "0", count: digits - written.count) + written
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(magnitude / unit).\(fraction)"
    }
}
