import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import SansIO

/// The observed events of a world, in order. Expectations search them, and the screen shows them.
///
/// An event is formatted as text at most once, and only if needed: for the file's comment, for the screen, or for an
/// expectation that could match it.
///
/// `@unchecked Sendable`: used on the world's thread only; others go through ``World/perform(_:)``.
/// `@exclusivity(unchecked)`: see `WorldCore`.
package final class EventLog: @unchecked Sendable {
    /// The minimum number of events kept for expectations. A script that waits for days without an expectation need not
    /// keep every heartbeat; for older events there is the session file.
    static let eventsKeptMin = 50_000

    /// The events that an expectation can match, oldest first; ``droppedEventCount`` older ones have been dropped.
    @exclusivity(unchecked) private var entries: [Entry] = []
    @exclusivity(unchecked) private var bytes = 0
    /// Above this total, in bytes, fewer events are kept.
    private let bytesMax: Int
    @exclusivity(unchecked) private var states = NodeStates<String>()
    private(set) var droppedEventCount = 0
    private let eventsKept: Int
    private let formatter: EventFormatter
    /// The states, kicks, faults and marks from the start.
    let timeline = StateHistory()
    /// The clients' commands that have not ended.
    @exclusivity(unchecked) private(set) var running = RunningCommands()
    /// The position from which an expectation can match results, for each node.
    @exclusivity(unchecked) private var resultStarts: [String: ResultStart] = [:]
    /// The texts of events that are in the file already and have not been shown yet, oldest first.
    @exclusivity(unchecked) private var unshownTexts: [String] = []
    @exclusivity(unchecked) private var unshownHead = 0
    /// Receives each event with its weight, and a closure for its text.
    @exclusivity(unchecked) package var show: ((SessionEvent, EventFormatter.Weight, () -> String) -> Void)?
    /// True if ``show`` prints an event of this importance.
    @exclusivity(unchecked) var shows: ((SessionEvent, EventFormatter.Weight) -> Bool)?
    /// Receives each command that has ended, after the event of its end.
    var whenEnded: ((IMClient.ClientCommand, Status) -> Void)?

    private struct Entry {
        var event: SessionEvent
        /// The client's state when the input that caused the event arrived.
        var inState: ClientState?
    }

    package init(dialect: any Dialect, eventsKept: Int = EventLog.eventsKeptMin, bytesMax: Int = 64 << 20) {
        formatter = EventFormatter(dialect: dialect)
        self.bytesMax = bytesMax
        self.eventsKept = eventsKept
    }

    /// Formats an event as text; called for each one that is recorded with a comment, before it is written.
    func formatForRecording(_ event: SessionEvent) -> String {
        formatter.note(event)
        let text = formatter.text(of: event)
        unshownTexts.append(text)
        return "\(event.node) \(text)"
    }

    /// Stores an event that has been recorded.
    func take(_ event: SessionEvent) {
        let words = takeUnshownText()
        if words == nil { formatter.note(event) }
        if EventFormatter.isObservable(event) {
            noteResultStart(event)
            keep(Entry(event: event, inState: states.note(event)))
        }
        timeline.take(event)
        let ended = running.take(event)
        if let show {
            show(event, formatter.weight(of: event)) { words ?? formatter.text(of: event) }
        }
        if let whenEnded, let ended, case .effect(.complete(_, let completion)) = event.content {
            whenEnded(ended, completion.status)
        }
    }

    /// True if the event is shown when it is stored.
    func isShown(_ event: SessionEvent) -> Bool {
        guard let shows else { return show != nil }
        return shows(event, formatter.weight(of: event))
    }

    /// The text of the next event, if `formatForRecording(_:)` has formatted it.
    private func takeUnshownText() -> String? {
        guard unshownHead < unshownTexts.count else { return nil }
        defer {
            unshownHead += 1
            if unshownHead == unshownTexts.count {
                unshownTexts.removeAll(keepingCapacity: true)
                unshownHead = 0
            }
        }
        return unshownTexts[unshownHead]
    }

    private func keep(_ entry: consuming Entry) {
        bytes += entry.event.estimatedBytes
        entries.append(entry)
        // Compacts when half can be dropped: amortised O(1).
        guard entries.count >= 2 * eventsKept || bytes > bytesMax else { return }
        var excess = max(0, entries.count - eventsKept)
        var left = bytes - entries.prefix(excess).reduce(0) { $0 + $1.event.estimatedBytes }
        while left > bytesMax / 2, excess < entries.count {
            left -= entries[excess].event.estimatedBytes
            excess += 1
        }
        bytes = left
        entries.removeFirst(excess)
        droppedEventCount += excess
    }

    /// The newest command of each name, since the process started. A result of an earlier command matches no later
    /// expectation.
    private struct ResultStart {
        /// The start of the process, or its newest command.
        var newest: Cursor
        var process: Cursor
        var commands: [String: Cursor] = [:]
    }

    private func noteResultStart(_ event: SessionEvent) {
        switch event.content {
        case .start: resultStarts[event.node] = ResultStart(newest: end, process: end)
        case .input(.clientCommand(_, let command)): noteCommand(CallKind(command), of: event.node)
        case .input(.serverCommand(let id, _)):
            note(command: formatter.serverCommands[id.rawValue] ?? "", of: event.node)
        default: break
        }
    }

    private func noteCommand(_ call: CallKind, of node: String) {
        note(command: call.word, of: node)
        // In the shell both are 'login'.
        if call == .offlineLogin { note(command: CallKind.login.word, of: node) }
        if call == .login { note(command: CallKind.offlineLogin.word, of: node) }
    }

    private func note(command: String, of node: String) {
        resultStarts[node, default: ResultStart(newest: .start, process: .start)].commands[command] = end
        resultStarts[node]?.newest = end
    }

    /// The start of the results that a clause can match: those of the newest command of its name, in this process.
    func resultStart(of clause: ExpectClause, node: String) -> Cursor {
        guard case .result(let command, _) = clause.pattern, let start = resultStarts[node] else { return .start }
        return command.map { start.commands[$0] ?? start.process } ?? start.newest
    }

    // MARK: Search

    /// A position in the log, after a number of events.
    package struct Cursor: Hashable, Comparable {
        fileprivate var event = 0
        /// The number of observations of the next event that lie before the position.
        fileprivate var observation = 0

        static let start = Cursor()

        package static func < (left: Cursor, right: Cursor) -> Bool {
            (left.event, left.observation) < (right.event, right.observation)
        }
    }

    /// The position after all events.
    var end: Cursor { Cursor(event: droppedEventCount + entries.count) }

    /// The first observation after `cursor` that a clause matches, for a node. The cursor moves after it, or to the end
    /// of the log, so a continued search checks each event once.
    func firstMatch(of clause: ExpectClause, node: String, from cursor: inout Cursor) -> ObservedEvent? {
        if cursor.event < droppedEventCount { cursor = Cursor(event: droppedEventCount) }
        while cursor.event - droppedEventCount < entries.count {
            let index = cursor.event - droppedEventCount
            if entries[index].event.node == node,
                let found = match(of: clause, entries[index], from: &cursor.observation)
            {
                return found
            }
            cursor = Cursor(event: cursor.event + 1)
        }
        return nil
    }

    /// The first observation of one event, from the index `observationIndex` on, that a clause matches.
    private func match(of clause: ExpectClause, _ entry: Entry, from observationIndex: inout Int) -> ObservedEvent? {
        if case .event(let filter) = clause.pattern {
            // If an observation of the event has matched already, the cursor is after the event.
            guard observationIndex == 0 else { return nil }
            let fields = fields(of: entry)
            guard filter.matches(fields) else { return nil }
            observationIndex = 1
            return formatter.observed(entry.event, as: fields, for: filter)
        }
        guard EventFormatter.canMatch(clause, entry.event) else { return nil }
        let observations = formatter.observations(of: entry.event)
        while observationIndex < observations.count {
            let observed = observations[observationIndex]
            observationIndex += 1
            if clause.matches(observed) { return observed }
        }
        return nil
    }

    private func fields(of entry: Entry) -> EventFields {
        let formatter = formatter
        return EventFields(
            entry.event,
            formatted: EventFormatter.FormattedEvent(
                text: formatter.text(of: entry.event), weight: formatter.weight(of: entry.event)),
            formatter: formatter, inState: entry.inState?.name)
    }

    /// The number of kept events that match a condition.
    func count(_ filter: Filter) -> Int { entries.count { filter.matches(fields(of: $0)) } }

    /// The newest state transition of a node.
    func lastTransition(of node: String) -> SessionEvent? {
        entries.last { entry in
            guard entry.event.node == node, case .effect(.transition) = entry.event.content else { return false }
            return true
        }?.event
    }

    /// The observations of a node after `cursor` that an expectation could match.
    ///
    /// - Parameter filter: a clause's condition on events; nil for a clause on observations.
    func observations(
        of node: String, from cursor: Cursor = .start, asking filter: Filter? = nil
    ) -> [ObservedEvent] {
        let first = max(0, cursor.event - droppedEventCount)
        return entries.dropFirst(first).enumerated().flatMap { offset, entry -> [ObservedEvent] in
            guard entry.event.node == node else { return [] }
            let seen = offset == 0 && cursor.event >= droppedEventCount ? cursor.observation : 0
            guard let filter else { return Array(formatter.observations(of: entry.event).dropFirst(seen)) }
            return seen > 0 ? [] : [formatter.observed(entry.event, as: fields(of: entry), for: filter)]
        }
    }
}
