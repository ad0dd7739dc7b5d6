import IMClient
import IMSession
import Recorder

/// In which state each client was when what led to an event came in. One input can lead to a transition and then to a
/// callback; of both it is the state before.
package struct NodeStates<Node: Hashable & Sendable>: Sendable {
    private struct Row {
        var node: Node
        /// When the input came in of which the node's newest event came.
        var before: ClientState?
        /// After everything so far.
        var now: ClientState?
    }

    private var rows: [Row] = []
    private var indices: [Node: Int] = [:]
    /// The row that was asked for last: one input's events follow upon each other.
    private var last = 0

    package init() {}

    /// The state of a node's client when what led to the newest event came in; nil for other nodes.
    package func state(of node: Node) -> ClientState? { index(of: node).flatMap { rows[$0].before } }

    /// The state of a node's client after everything so far.
    package func current(of node: Node) -> ClientState? { index(of: node).flatMap { rows[$0].now } }

    private func index(of node: Node) -> Int? {
        last < rows.count && rows[last].node == node ? last : indices[node]
    }

    private mutating func change(_ node: Node, _ body: (inout Row) -> Void) {
        if let index = index(of: node) {
            last = index
        } else {
            last = rows.count
            indices[node] = last
            rows.append(Row(node: node))
        }
        body(&rows[last])
    }

    /// A client begins logged out; a server has no such state.
    fileprivate mutating func start(_ node: Node, isClient: Bool) {
        let state: ClientState? = isClient ? .loggedOut : nil
        change(node) { ($0.before, $0.now) = (state, state) }
    }

    fileprivate mutating func input(_ node: Node) { change(node) { $0.before = $0.now } }

    fileprivate mutating func change(_ node: Node, to state: ClientState) { change(node) { $0.now = state } }

    fileprivate mutating func stop(_ node: Node) { change(node) { ($0.before, $0.now) = ($0.now, nil) } }
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
    /// - Returns: the state of the event's node when what led to it came in.
    @discardableResult
    package mutating func note(_ event: SessionEvent) -> ClientState? {
        switch event.content {
        case .start(let record): start(event.node, isClient: !record.isServer)
        case .input: input(event.node)
        case .effect(.transition(let change)): self.change(event.node, to: change.to)
        case .stop: stop(event.node)
        case .effect, .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
        return state(of: event.node)
    }
}
