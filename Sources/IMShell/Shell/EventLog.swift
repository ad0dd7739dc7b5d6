import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import SansIO

/// The observed events of a world, in order. Expectations search them, and the screen shows them.
///
/// An event is formatted as text at most once, and only if its text is needed: for the recording, for the screen, or
/// for an expectation that could match the event.
///
/// `@unchecked Sendable`: only the world's thread uses the log. Other threads use it through ``World/perform(_:)``.
/// `@exclusivity(unchecked)`: the reason is given at `WorldCore`.
package final class EventLog: @unchecked Sendable {
    /// The minimum number of the newest events that are stored for expectations. Older events are dropped, because a
    /// script may wait for days and receive heartbeats all the time. The session file still has them.
    static let eventsKeptMin = 50_000

    /// The events that an expectation can match, oldest first. ``droppedEventCount`` older events were dropped.
    @exclusivity(unchecked) private var entries: [Entry] = []
    @exclusivity(unchecked) private var bytes = 0
    /// The maximum size of the stored events in bytes. If they are larger, fewer events are stored.
    private let bytesMax: Int
    @exclusivity(unchecked) private var states = NodeStates<String>()
    private(set) var droppedEventCount = 0
    private let eventsKept: Int
    private let formatter: EventFormatter
    /// The states, kicks, faults and marks since the start of the world.
    let timeline = StateHistory()
    /// The clients' commands that are in progress.
    @exclusivity(unchecked) private(set) var running = RunningCommands()
    /// For each node, the positions from which an expectation can match a result.
    @exclusivity(unchecked) private var resultStarts: [String: ResultStart] = [:]
    /// The texts of events that were formatted for the recording and not passed to `take(_:)` yet, oldest first. The
    /// first one is at `unshownHead`.
    @exclusivity(unchecked) private var unshownTexts: [String] = []
    @exclusivity(unchecked) private var unshownHead = 0
    /// Receives each event, its importance, and a closure that returns its text.
    @exclusivity(unchecked) package var show: ((SessionEvent, EventFormatter.Weight, () -> String) -> Void)?
    /// True if ``show`` prints an event of this importance.
    @exclusivity(unchecked) var isShowing: ((SessionEvent, EventFormatter.Weight) -> Bool)?
    /// Receives each command that ended and its status, after the event of its completion.
    var onCommandEnd: ((IMClient.ClientCommand, Status) -> Void)?

    private struct Entry {
        var event: SessionEvent
        /// The state of the client before the input that caused the event.
        var inState: ClientState?
    }

    package init(dialect: any Dialect, eventsKept: Int = EventLog.eventsKeptMin, bytesMax: Int = 64 << 20) {
        formatter = EventFormatter(dialect: dialect)
        self.bytesMax = bytesMax
        self.eventsKept = eventsKept
    }

    /// Formats an event as text for the recording. Called for each event that is recorded with a text, before it is
    /// recorded and passed to `take(_:)`.
    func formatForRecording(_ event: SessionEvent) -> String {
        formatter.note(event)
        let text = formatter.text(of: event)
        unshownTexts.append(text)
        return "\(event.node) \(text)"
    }

    /// Stores an event that has been recorded.
    func take(_ event: SessionEvent) {
        let recordedText = takeRecordedText()
        if recordedText == nil { formatter.note(event) }
        if EventFormatter.isObservable(event) {
            noteResultStart(event)
            store(Entry(event: event, inState: states.note(event)))
        }
        timeline.take(event)
        let ended = running.take(event)
        if let show {
            show(event, formatter.weight(of: event)) { recordedText ?? formatter.text(of: event) }
        }
        if let onCommandEnd, let ended, case .effect(.complete(_, let completion)) = event.content {
            onCommandEnd(ended, completion.status)
        }
    }

    /// True if `take(_:)` shows the event.
    func isShown(_ event: SessionEvent) -> Bool {
        guard let isShowing else { return show != nil }
        return isShowing(event, formatter.weight(of: event))
    }

    /// The text of the next event; nil if `formatForRecording(_:)` was not called for it.
    private func takeRecordedText() -> String? {
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

    private func store(_ entry: consuming Entry) {
        bytes += entry.event.estimatedBytes
        entries.append(entry)
        // Drops events only when half of them can be dropped, so that storing an event is amortised O(1).
        guard entries.count >= 2 * eventsKept || bytes > bytesMax else { return }
        var excess = max(0, entries.count - eventsKept)
        var remaining = bytes - entries.prefix(excess).reduce(0) { $0 + $1.event.estimatedBytes }
        while remaining > bytesMax / 2, excess < entries.count {
            remaining -= entries[excess].event.estimatedBytes
            excess += 1
        }
        bytes = remaining
        entries.removeFirst(excess)
        droppedEventCount += excess
    }

    /// The positions of a node's newest commands since its process started. An expectation matches no result of an
    /// earlier command.
    private struct ResultStart {
        /// The position of the newest command; if there is none, of the start of the process.
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
        // The shell's command `login` makes both calls.
        if call == .offlineLogin { note(command: CallKind.login.word, of: node) }
        if call == .login { note(command: CallKind.offlineLogin.word, of: node) }
    }

    private func note(command: String, of node: String) {
        resultStarts[node, default: ResultStart(newest: .start, process: .start)].commands[command] = end
        resultStarts[node]?.newest = end
    }

    /// The position from which a clause can match results: that of the newest command with the clause's name in the
    /// current process.
    func resultStart(of clause: ExpectClause, node: String) -> Cursor {
        guard case .result(let command, _) = clause.pattern, let start = resultStarts[node] else { return .start }
        return command.map { start.commands[$0] ?? start.process } ?? start.newest
    }

    // MARK: Search

    /// A position in the log: the number of events before it.
    package struct Cursor: Hashable, Comparable {
        fileprivate var event = 0
        /// The number of observations of the next event that are before the position.
        fileprivate var observation = 0

        static let start = Cursor()

        package static func < (left: Cursor, right: Cursor) -> Bool {
            (left.event, left.observation) < (right.event, right.observation)
        }
    }

    /// The position after all events.
    var end: Cursor { Cursor(event: droppedEventCount + entries.count) }

    /// The first observation of a node after `cursor` that a clause matches. The cursor moves to the position after
    /// this observation, or to the end of the log if there is none. So a search that continues from the cursor checks
    /// no event twice.
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

    /// The first observation of one event that a clause matches, beginning with the index `observationIndex`.
    private func match(of clause: ExpectClause, _ entry: Entry, from observationIndex: inout Int) -> ObservedEvent? {
        if case .event(let filter) = clause.pattern {
            // A filter matches the whole event. If an observation of this event matched before, the event counts as
            // already matched.
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

    /// The number of stored events that match a filter.
    func count(_ filter: Filter) -> Int { entries.count { filter.matches(fields(of: $0)) } }

    /// The newest state transition of a node.
    func lastTransition(of node: String) -> SessionEvent? {
        entries.last { entry in
            guard entry.event.node == node, case .effect(.transition) = entry.event.content else { return false }
            return true
        }?.event
    }

    /// The observations of a node after `cursor` that an expectation can match.
    ///
    /// - Parameter filter: the filter of an `expect event` clause; nil for other clauses.
    func observations(
        of node: String, from cursor: Cursor = .start, asking filter: Filter? = nil
    ) -> [ObservedEvent] {
        let first = max(0, cursor.event - droppedEventCount)
        return entries.dropFirst(first).enumerated().flatMap { offset, entry -> [ObservedEvent] in
            guard entry.event.node == node else { return [] }
            let matchedCount = offset == 0 && cursor.event >= droppedEventCount ? cursor.observation : 0
            guard let filter else { return Array(formatter.observations(of: entry.event).dropFirst(matchedCount)) }
            return matchedCount > 0 ? [] : [formatter.observed(entry.event, as: fields(of: entry), for: filter)]
        }
    }
}
