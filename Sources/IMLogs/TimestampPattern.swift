/// A time in a log. Some of its parts may be missing.
struct LogTime {
    var year: Int?
    var month: Int?
    var day: Int?
    var hour = 0
    var minute = 0
    var second = 0
    var nanosecond = 0
    /// Seconds east of UTC; nil for an unknown zone.
    var zone: Int?
    /// Seconds since 1970, if the log has them instead of a date.
    var seconds: Int?
    /// The resolution of the time, in nanoseconds.
    var step: Int64 = 1_000_000_000

    /// The time in nanoseconds since 1970. A time without a zone counts as UTC.
    ///
    /// - Parameter year: the year for a time without one.
    func nanoseconds(year other: Int) -> Int64 {
        // A line may contain any numbers, so the parts of the time are limited to valid ones.
        let nanosecond = Int64(min(max(self.nanosecond, 0), 999_999_999))
        if let seconds { return Int64(min(max(seconds, 0), Self.secondsMax)) * 1_000_000_000 + nanosecond }
        var year = min(max(self.year ?? other, 1970), 2200)
        let month = min(max(self.month ?? 1, 1), 12)
        let day = min(max(self.day ?? 1, 1), 31)
        if month <= 2 { year -= 1 }
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let total = days * 86_400 + hour * 3600 + minute * 60 + second - (zone ?? 0)
        return Int64(total) * 1_000_000_000 + nanosecond
    }

    /// The start of the year 2201, in seconds since 1970.
    private static let secondsMax = 7_289_654_400
}

/// A `timestamp-format` of lnav, such as `%Y-%m-%d %H:%M:%S.%L`. Numbers may lack leading zeros.
struct TimestampPattern {
    let format: [UInt8]

    init(_ format: String) { self.format = Array(format.utf8) }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    func read(_ text: String) -> LogTime? {
        var text = text
        return text.withUTF8 { read(UnsafeBufferPointer(rebasing: $0.prefix(64))) }
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>) -> LogTime? {
        var time = LogTime()
        var at = 0
        var index = 0
        func number(_ digitsMax: Int) -> (value: Int, digits: Int)? {
            let start = at
            var value = 0
            while at < bytes.count, at - start < digitsMax, bytes[at] >= 48, bytes[at] <= 57 {
                value = value * 10 + Int(bytes[at] - 48)
                at += 1
            }
            return at == start ? nil : (value, at - start)
        }
        while index < format.count {
            guard format[index] == UInt8(ascii: "%"), index + 1 < format.count else {
                if format[index] == UInt8(ascii: " ") {
                    guard at < bytes.count, bytes[at] == 32 else { return nil }
                    while at < bytes.count, bytes[at] == 32 { at += 1 }
                } else {
                    guard at < bytes.count, bytes[at] == format[index] else { return nil }
                    at += 1
                }
                index += 1
                continue
            }
            let letter = Character(Unicode.Scalar(format[index + 1]))
            index += 2
            switch letter {
            case "Y": guard let found = number(4) else { return nil }; time.year = found.value
            case "y": guard let found = number(2) else { return nil }; time.year = 2000 + found.value
            case "m": guard let found = number(2) else { return nil }; time.month = found.value
            case "d", "e":
                while at < bytes.count, bytes[at] == 32 { at += 1 }
                guard let found = number(2) else { return nil }
                time.day = found.value
            case "H", "k": guard let found = number(2) else { return nil }; time.hour = found.value
            case "M": guard let found = number(2) else { return nil }; time.minute = found.value
            case "S": guard let found = number(2) else { return nil }; time.second = found.value
            case "L":
                guard let found = number(3) else { return nil }
                (time.nanosecond, time.step) = (found.value * 1_000_000, 1_000_000)
            case "f", "N":
                guard let found = number(9) else { return nil }
                var scale = 1
                for _ in found.digits..<9 { scale *= 10 }
                (time.nanosecond, time.step) = (found.value * scale, Int64(scale))
            case "i":
                guard let found = number(14) else { return nil }
                (time.seconds, time.nanosecond, time.step) =
                    (found.value / 1000, found.value % 1000 * 1_000_000, 1_000_000)
            case "s": guard let found = number(11) else { return nil }; time.seconds = found.value
            case "b":
                guard at + 3 <= bytes.count else { return nil }
                let name = String(decoding: bytes[at..<at + 3], as: UTF8.self).lowercased()
                guard let month = Self.months.firstIndex(of: name) else { return nil }
                time.month = month + 1
                at += 3
            case "z":
                guard at < bytes.count else { return nil }
                if bytes[at] == UInt8(ascii: "Z") { time.zone = 0; at += 1; continue }
                let sign = bytes[at] == UInt8(ascii: "-") ? -1 : 1
                at += 1
                guard let hours = number(2) else { return nil }
                if at < bytes.count, bytes[at] == UInt8(ascii: ":") { at += 1 }
                time.zone = sign * (hours.value * 3600 + (number(2)?.value ?? 0) * 60)
            default: return nil
            }
        }
        guard time.hour < 25, time.minute < 60, time.second < 62 else { return nil }
        return time
    }
}
