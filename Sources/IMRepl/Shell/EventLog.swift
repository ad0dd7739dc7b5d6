import IMDialects
import IMWorld
import SansIO

/// What was seen of a world, in order: what expectations look through and what the screen shows.
///
/// An event is put into words at most once, and only when somebody looks: the file for its comment, the screen, an
/// expectation that could be about it.
///
/// `@unchecked Sendable`: used on the world's thread only; others go through ``World/perform(_:)``.
final class EventLog: @unchecked Sendable {
    /// How many events are kept for expectations at least. A script that waits for days without expecting anything is
    /// no reason to keep every heartbeat; who looks that far back reads the session file.
    static let eventsKeptMin = 50_000

    /// The events that an expectation can be about, oldest first; ``forgottenCount`` older ones have been let go.
    private var entries: [SessionEvent] = []
    private(set) var forgottenCount = 0
    private let eventsKept: Int
    private let narrator: Narrator
    /// The states, kicks, faults and marks from the beginning on.
    let timeline = TimelineLog()
    /// The words of events that are in the file already and have not been shown yet, oldest first.
    private var told: [String] = []
    private var toldHead = 0
    /// Gets each event with its weight, and its words for the asking.
    var show: ((SessionEvent, Narrator.Weight, () -> String) -> Void)?

    init(dialect: any Dialect, eventsKept: Int = EventLog.eventsKeptMin) {
        narrator = Narrator(dialect: dialect)
        self.eventsKept = eventsKept
    }

    /// Puts an event into words; called for each that is recorded with a comment, before it is written.
    func tell(_ event: SessionEvent) -> String {
        narrator.note(event)
        let text = narrator.text(of: event)
        told.append(text)
        return "\(event.node) \(text)"
    }

    /// Takes in an event that has been recorded.
    func take(_ event: SessionEvent) {
        let words = takeTold()
        if words == nil { narrator.note(event) }
        if Narrator.isObservable(event) { keep(event) }
        timeline.take(event)
        if let show {
            show(event, narrator.weight(of: event)) { words ?? narrator.text(of: event) }
        }
    }

    /// The words of the event that comes next, if it has been told.
    private func takeTold() -> String? {
        guard toldHead < told.count else { return nil }
        defer {
            toldHead += 1
            if toldHead == told.count {
                told.removeAll(keepingCapacity: true)
                toldHead = 0
            }
        }
        return told[toldHead]
    }

    private func keep(_ event: SessionEvent) {
        entries.append(event)
        // By halves, so that what is moved up has been paid for by what came.
        guard entries.count >= 2 * eventsKept else { return }
        entries.removeFirst(entries.count - eventsKept)
        forgottenCount += eventsKept
    }

    // MARK: Looking back

    /// A place in the log: behind so many events.
    struct Cursor: Hashable, Comparable {
        fileprivate var event = 0
        /// How many observations of that event lie before it.
        fileprivate var observation = 0

        static let start = Cursor()

        static func < (left: Cursor, right: Cursor) -> Bool {
            (left.event, left.observation) < (right.event, right.observation)
        }
    }

    /// Behind everything that has happened.
    var end: Cursor { Cursor(event: forgottenCount + entries.count) }

    /// The first observation behind `cursor` that a clause matches, for a node. The cursor moves on behind it, or to
    /// the end of the log, so that a search that goes on later looks at each event once.
    func firstMatch(of clause: ExpectClause, node: String, from cursor: inout Cursor) -> ObservedEvent? {
        if cursor.event < forgottenCount { cursor = Cursor(event: forgottenCount) }
        while cursor.event - forgottenCount < entries.count {
            let index = cursor.event - forgottenCount
            if Narrator.canMatch(clause, entries[index]), entries[index].node == node {
                let observations = narrator.observations(of: entries[index])
                while cursor.observation < observations.count {
                    let observed = observations[cursor.observation]
                    cursor.observation += 1
                    if clause.matches(observed) { return observed }
                }
            }
            cursor = Cursor(event: cursor.event + 1)
        }
        return nil
    }

    /// What an expectation about a node could have seen behind `cursor`.
    func observations(of node: String, from cursor: Cursor = .start) -> [ObservedEvent] {
        let first = max(0, cursor.event - forgottenCount)
        return entries.dropFirst(first).enumerated().flatMap { offset, event -> [ObservedEvent] in
            guard event.node == node else { return [] }
            let isFirst = offset == 0 && cursor.event >= forgottenCount
            return Array(narrator.observations(of: event).dropFirst(isFirst ? cursor.observation : 0))
        }
    }
}
