import SansIO

/// Parses a time of the wall clock: `2026-02-03T04:05:06Z`, or seconds since 1970.
package enum EpochText {
    /// Nanoseconds since 1970 in UTC; nil if the text is invalid or the result does not fit in an `Int64`.
    package static func nanoseconds(_ text: String) -> Int64? {
        guard let seconds = Int64(text) ?? calendarSeconds(text) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : product
    }

    private static func calendarSeconds(_ text: String) -> Int64? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard text.hasSuffix("Z"), parts.count == 2 else { return nil }
        let date = numbers(parts[0], separator: "-", lengths: [4, 2, 2])
        let time = numbers(parts[1].dropLast(), separator: ":", lengths: [2, 2, 2])
        guard let date, let time, (1...12).contains(date[1]), (1...days(in: date[1], of: date[0])).contains(date[2]),
            time[0] < 24, time[1] < 60, time[2] < 60
        else { return nil }
        return daysSince1970(date[0], date[1], date[2]) * 86_400 + Int64(time[0] * 3_600 + time[1] * 60 + time[2])
    }

    private static func numbers(_ text: Substring, separator: Character, lengths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.count) == lengths, parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }) else {
            return nil
        }
        return parts.compactMap { Int($0) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Computes with years that begin in March, so that the leap day is the last day of a year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
