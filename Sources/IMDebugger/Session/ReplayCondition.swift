import IMClient
import IMSession
import Recorder

/// A condition at which a replay can stop.
package struct ReplayCondition: Sendable {
    /// As it was typed.
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

    /// True if it holds for an event.
    package func holds(for view: EventView, in session: DebugSession) throws -> Bool {
        let filter = filter(for: session)
        guard filter.mayMatch(view, in: session.reader) else { return false }
        return filter.matches(try fields(of: view, in: session))
    }

    /// True if it holds for an event that is not in the recording.
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

    /// How near an event comes to the condition.
    struct Nearness: Comparable {
        /// How many comparisons hold.
        var matchCount: Int
        /// For how many comparisons the event has the field at all.
        var fieldCount: Int
        /// Breaks ties: the kind of an event counts more than its contents.
        var likeness: Int

        static func < (left: Nearness, right: Nearness) -> Bool {
            (left.matchCount, left.fieldCount, left.likeness) < (right.matchCount, right.fieldCount, right.likeness)
        }
    }

    /// How near an event comes to it, and the comparisons that it does not fulfil.
    func nearness(
        of view: EventView, in session: DebugSession
    ) throws -> (nearness: Nearness, shortfalls: () -> [String]) {
        let filter = filter(for: session)
        let fields = try fields(of: view, in: session)
        let names = filter.condition.names
        let values = Dictionary(names.map { ($0, fields[$0]) }) { first, _ in first }
        let nearness = Nearness(
            matchCount: filter.condition.matchCount(in: values),
            fieldCount: names.count { values[$0]?.isEmpty == false }, likeness: filter.condition.likeness(to: values))
        return (nearness, { filter.condition.shortfalls(in: values) })
    }

    /// True if it can hold for an event of a node, as far as the node's name decides.
    func concerns(node name: String) -> Bool { filter.condition.mayHold(forNode: name) }

    /// The states that it requires: `to == online`, `state == online`, `kick`.
    var wantedStates: [ClientState] {
        let names = [FilterName("to"), FilterName("state"), FilterName("fields.to")]
        let wanted = filter.condition.wantedValues { names.contains($0) }
        return ClientState.allCases.filter { wanted.contains($0.name) }
    }

    /// True if it requires that a client changes to a state.
    var asksForState: Bool { !wantedStates.isEmpty }

    /// The callbacks that it names.
    var callbacks: [String] { filter.condition.wantedValues { $0 == FilterName("callback") } }

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
