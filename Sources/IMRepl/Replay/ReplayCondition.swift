import IMWorld
import Recorder

/// What a replay can stop at.
struct ReplayCondition: Sendable {
    /// As it was typed.
    let text: String
    private let filter: Filter

    /// - Throws: ``FilterError`` with the place of what is wrong.
    init(_ text: String) throws {
        self.text = text
        filter = try Filter(ofOneEvent: text)
    }

    /// Whether it holds for an event.
    func holds(for view: EventView, in session: ReplaySession) throws -> Bool {
        guard filter.mayMatch(view, in: session.reader) else { return false }
        let event = session.decoded(view)
        try session.learnCommand(of: event)
        session.narrator.note(event)
        let narrator = session.narrator
        let fields = EventFields(
            event, telling: narrator.tell(event), narrator: narrator,
            inState: filter.usesInState ? try session.stateBefore(view.number, of: view.node) : nil)
        return filter.matches(fields)
    }
}

extension ReplaySession {
    /// The state of a node's client when what led to an event came in; nil for other nodes.
    fileprivate func stateBefore(_ number: UInt64, of node: NodeIndex) throws -> String? {
        guard node != .session else { return nil }
        let input = try timeline.last(before: number + 1) {
            $0.node == node && ($0.role == .input || $0.role == .start || $0.role == .stop)
        }
        guard let input else { return nil }
        let position = input.role == .start ? input.number : input.number - 1
        return try timeline.state(at: position)[node]?.client?.state.name
    }
}
