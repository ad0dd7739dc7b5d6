import IMClient
import IMSession
import Recorder

/// The states of the clients in a recording. Only the events that can change a state are decoded.
typealias InStates = NodeStates<NodeIndex>

extension NodeStates where Node == NodeIndex {
    package mutating func note(_ view: EventView) {
        switch view.role {
        case .start:
            if case .start(let record) = Self.content(view) {
                start(view.node, isClient: !record.isServer)
            } else {
                start(view.node, isClient: false)
            }
        case .input: input(view.node)
        case .effect:
            guard EventPeek.kinds(of: view).contains(.transition) else { return }
            if let change = EventPeek.transition(view.payload) {
                self.change(view.node, to: change.to)
            } else if case .effect(.transition(let change)) = Self.content(view) {
                self.change(view.node, to: change.to)
            }
        case .stop: stop(view.node)
        case .environment:
            guard view.node != .session, case .environment(.observed(let event)) = Self.content(view) else { return }
            observe(event, of: view.node)
        case .header, .clock, .mark, .keyframe, .closing: break
        }
    }

    private static func content(_ view: EventView) -> SessionEvent.Content {
        SessionEvent(view, node: "", schema: IMSessionSchema()).content
    }
}
