/// The time of day of a log's line.
struct TimeOfDay {
    private var milliseconds: Milliseconds
    /// The character before the milliseconds; nil if the log has no milliseconds.
    private let separator: Character?

    /// Nil if the time stamp has no hours, minutes and seconds.
    init?(_ stamp: String) {
        guard let word = Self.word(of: stamp) else { return nil }
        let parts = word.prefix { $0.isNumber || ":.,".contains($0) }.split { ":.,".contains($0) }
        guard parts.count >= 3, let hour = Milliseconds(parts[0]), let minute = Milliseconds(parts[1]),
            let second = Milliseconds(parts[2]), hour < 25, minute < 60, second < 62
        else { return nil }
        milliseconds = ((hour * 60 + minute) * 60 + second) * 1000
        separator = parts.count > 3 ? word[..<parts[3].startIndex].last : nil
        guard parts.count > 3 else { return }
        let digits = (parts[3] + "00").prefix(3)
        milliseconds += Milliseconds(digits) ?? 0
    }

    /// The part of a time stamp that has hours, minutes and seconds; nil if there is none.
    static func word(of stamp: String) -> Substring? {
        stamp.split { $0 == " " || $0 == "T" }.first { $0.utf8.count { $0 == UInt8(ascii: ":") } >= 2 }
    }

    func adding(_ step: Milliseconds) -> TimeOfDay {
        var time = self
        let day: Milliseconds = 86_400_000
        time.milliseconds = ((milliseconds + step) % day + day) % day
        return time
    }

    /// The time of day in the format of the log, such as `21:40:03:221`.
    var text: String {
        func digits(_ number: Milliseconds, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }.joined(separator: ":")
        return separator.map { clock + String($0) + digits(milliseconds % 1000, 3) } ?? clock
    }
}
