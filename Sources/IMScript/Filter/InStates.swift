import IMClient
import IMSession
import Recorder

/// In which state each client was when what led to an event came in. One input can lead to a transition and then to a
/// callback; of both it is the state before.
package struct NodeStates<Node: Hashable & Sendable>: Sendable {
    private var before: [Node: ClientState] = [:]
    /// After everything so far.
    package private(set) var now: [Node: ClientState] = [:]

    package init() {}

    package func state(of node: Node) -> String? { before[node]?.name }

    /// A client begins logged out; a server has no such state.
    fileprivate mutating func start(_ node: Node, isClient: Bool) {
        before[node] = isClient ? .loggedOut : nil
        now[node] = before[node]
    }

    fileprivate mutating func input(_ node: Node) { before[node] = now[node] }

    fileprivate mutating func change(_ node: Node, to state: ClientState) { now[node] = state }

    fileprivate mutating func stop(_ node: Node) {
        before[node] = now[node]
        now[node] = nil
    }
}

/// Of a recording, where nothing is decoded that need not be.
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
        case .header, .clock, .environment, .mark, .keyframe, .closing: break
        }
    }

    private static func content(_ view: EventView) -> SessionEvent.Content {
        SessionEvent(view, node: "", schema: IMSessionSchema()).content
    }
}

extension NodeStates where Node == String {
    package mutating func note(_ event: SessionEvent) {
        switch event.content {
        case .start(let record): start(event.node, isClient: !record.isServer)
        case .input: input(event.node)
        case .effect(.transition(let change)): self.change(event.node, to: change.to)
        case .stop: stop(event.node)
        case .effect, .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
    }
}
