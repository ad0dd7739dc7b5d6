import IMClient
import IMSession
import Recorder

/// A condition at which a replay can stop.
package struct ReplayCondition: Sendable {
    /// The condition as the user typed it.
    package let text: String
    private let filter: Filter
    private let serverFilter: Filter

    /// - Throws: ``FilterError`` with the position of the error.
    package init(_ text: String) throws {
        self.text = text
        filter = try Filter(ofOneEvent: text)
        serverFilter = try Filter(parsing: text, ofServer: true)
    }

    private func filter(for session: DebugSession) -> Filter { session.reader.isOfServerAlone ? serverFilter : filter }

    /// True if the condition holds for an event of the recording.
    package func holds(for view: EventView, in session: DebugSession) throws -> Bool {
        let filter = filter(for: session)
        guard filter.mayMatch(view, in: session.reader) else { return false }
        return filter.matches(try fields(of: view, in: session))
    }

    /// True if the condition holds for an event that is not in the recording.
    ///
    /// - Parameter state: the state of the node's client before the event's input.
    func holds(forHypothetical event: SessionEvent, inState state: ClientState?, in session: DebugSession) throws
        -> Bool
    {
        try session.findCommand(of: event)
        let formatter = session.formatter
        return filter(for: session).matches(
            EventFields(event, formatted: formatter.format(event), formatter: formatter, inState: state?.name))
    }

    /// How near an event comes to the condition. A greater value is nearer.
    struct Nearness: Comparable {
        /// How many comparisons hold.
        var matchCount: Int
        /// The number of comparisons whose field the event has.
        var fieldCount: Int
        /// Decides between events whose counts are equal. A matching kind of event contributes more than matching
        /// contents.
        var similarity: Int

        static func < (left: Nearness, right: Nearness) -> Bool {
            (left.matchCount, left.fieldCount, left.similarity) < (right.matchCount, right.fieldCount, right.similarity)
        }
    }

    /// How near an event comes to the condition, and the texts of the comparisons that do not hold for the event.
    func nearness(
        of view: EventView, in session: DebugSession
    ) throws -> (nearness: Nearness, shortfalls: () -> [String]) {
        let filter = filter(for: session)
        let fields = try fields(of: view, in: session)
        let names = filter.condition.names
        let values = Dictionary(names.map { ($0, fields[$0]) }) { first, _ in first }
        let nearness = Nearness(
            matchCount: filter.condition.matchCount(in: values),
            fieldCount: names.count { values[$0]?.isEmpty == false },
            similarity: filter.condition.similarity(to: values))
        return (nearness, { filter.condition.shortfalls(in: values) })
    }

    /// False if the node's name alone excludes that the condition holds for an event of the node.
    func canHold(forNode name: String) -> Bool { filter.condition.mayHold(forNode: name) }

    /// The client states that the condition requires, as in `to == online` and `state == online`.
    var requiredStates: [ClientState] {
        let names = [FilterName("to"), FilterName("state"), FilterName("fields.to")]
        let wanted = filter.condition.requiredValues { names.contains($0) }
        return ClientState.allCases.filter { wanted.contains($0.name) }
    }

    /// True if the condition requires a client state.
    var requiresState: Bool { !requiredStates.isEmpty }

    /// The names of the callbacks that the condition requires.
    var callbacks: [String] { filter.condition.requiredValues { $0 == FilterName("callback") } }

    private func fields(of view: EventView, in session: DebugSession) throws -> EventFields {
        let event = session.decoded(view)
        try session.findCommand(of: event)
        session.formatter.note(event)
        let formatter = session.formatter
        return EventFields(
            event, formatted: formatter.format(event), formatter: formatter,
            inState: filter.usesInState ? try session.inStates().state(of: view.node, at: view.number)?.name : nil)
    }
}
