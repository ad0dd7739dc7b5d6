/// A time in UTC as text, `2026-11-21T03:31:03Z`. Dates before 1582 are in the Gregorian calendar too.
package struct CalendarTime: CustomStringConvertible {
    package let description: String

    init(epochNanoseconds: Int64) {
        self.init(epochSeconds: CalendarTime.floored(epochNanoseconds, by: 1_000_000_000))
    }

    package init(epochSeconds seconds: Int64) {
        let secondsPerDay: Int64 = 86_400
        let days = CalendarTime.floored(seconds, by: secondsPerDay)
        let second = seconds - days * secondsPerDay
        // Days are counted in eras of 400 years that begin on 1 March. So the leap day is the last day of a counted
        // year.
        let shifted = days + 719_468
        let era = CalendarTime.floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        description =
            "\(year)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
