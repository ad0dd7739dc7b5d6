import IMText
import SansIO

/// The target of `goto`: the number of an event, a distance in events, a time, a mark, the beginning or the end.
package enum ReplayPosition: Equatable, Sendable {
    case number(UInt64)
    case forward(UInt64)
    case backward(UInt64)
    case time(Instant)
    case mark(String)
    case begin
    case end

    /// - Throws: ``DebuggerError`` that lists the valid forms.
    package init(_ text: String) throws {
        if text == "begin" || text == "start" {
            self = .begin
        } else if text == "end" {
            self = .end
        } else if text.hasPrefix("mark:") {
            self = .mark(String(text.dropFirst(5)))
        } else if text.hasPrefix("t=") {
            self = .time(try ReplayPosition.instant(text))
        } else if let time = ReplayPosition.listTime(text) {
            self = .time(time)
        } else if text.hasPrefix("+"), let distance = UInt64(text.dropFirst()) {
            self = .forward(distance)
        } else if text.hasPrefix("-"), let distance = UInt64(text.dropFirst()) {
            self = .backward(distance)
        } else if let number = UInt64(text.hasPrefix("#") ? String(text.dropFirst()) : text) {
            self = .number(number)
        } else {
            throw DebuggerError(
                "'\(text)' is not a position: \(ReplayPosition.forms); 'continue kick' goes to the next kick, "
                    + "'rcontinue kick' to the previous one"
            )
        }
    }

    static let forms =
        "use the number of an event (from 0, the start, to the last), +N or -N events, a time from 0s such as 12.5s, "
        + "mark:NAME, begin or end"

    /// A time in the format of event lists: `+12.500s`.
    private static func listTime(_ text: String) -> Instant? {
        guard text.last?.isLetter == true else { return nil }
        return DurationText.interval(String(text.drop { $0 == "+" })).map { .zero + $0 }
    }

    private static func instant(_ text: String) throws -> Instant {
        let value = String(text.dropFirst(2).drop { $0 == "+" })
        // A number without a unit is seconds, as in the prompt.
        let unit = value.last.map { $0.isNumber || $0 == "." } ?? false ? value + "s" : value
        guard let duration = DurationText.interval(unit) else {
            throw DebuggerError("'\(text)' is not a time: use t=12.5s, t=250ms or t=2m; \(DurationText.range)")
        }
        return .zero + duration
    }

    /// The number of the target event.
    package func resolve(in session: DebugSession) throws -> UInt64 {
        let (position, count) = (session.position, session.count)
        switch self {
        case .begin: return 0
        case .end: return count
        case .number(let number):
            guard number <= count else {
                throw DebuggerError("there is no event \(number); the last one is \(count)")
            }
            return number
        case .forward(let distance): return distance > count - position ? count : position + distance
        case .backward(let distance): return distance > position ? 0 : position - distance
        case .time(let instant): return try session.last(at: instant)
        case .mark(let name): return try ReplayPosition.mark(name, in: session)
        }
    }

    private static func mark(_ name: String, in session: DebugSession) throws -> UInt64 {
        let marks = try session.marks()
        if let exact = marks.first(where: { $0.text == name }) ?? marks.first(where: { $0.text.hasPrefix(name) }) {
            return exact.number
        }
        throw DebuggerError(
            marks.isEmpty
                ? "this recording has no marks" : "there is no mark '\(name)'; 'marks' lists the \(marks.count)")
    }
}

extension DebugSession {
    /// The number of the last event that is not later than a time; 0 if there is none.
    package func last(at instant: Instant) throws -> UInt64 {
        // The times of events never decrease in a session, so a binary search finds the event.
        try (1..<count + 1).partitioningIndex { try timeline.event($0).time > instant } - 1
    }

    /// The marks that the user set, in order.
    package func marks() throws -> [(number: UInt64, text: String, time: Instant)] {
        var found: [(number: UInt64, text: String, time: Instant)] = []
        _ = try timeline.first(after: 0) { view in
            if view.role == .mark {
                found.append((view.number, String(decoding: view.payload, as: UTF8.self), view.time))
            }
            return false
        }
        return found
    }
}
