import IMClient

/// The state of each client of a session, computed from the session's events: starts, transitions and stops.
///
/// One input can lead to a transition and then to a callback. For both events ``state(of:)`` returns the state before
/// the input.
package struct NodeStates<Node: Hashable & Sendable>: Sendable {
    private struct Row {
        var node: Node
        var isClient = false
        var isRunning = false
        /// The state before the input of the node's newest event.
        var before: ClientState?
        /// The state after all events so far.
        var now: ClientState?
    }

    private var rows: [Row] = []
    private var indices: [Node: Int] = [:]
    /// The index of the row that was used last. The events of one input are adjacent, so the next event mostly uses the
    /// same row.
    private var last = 0

    package init() {}

    /// The state of a node's client before the input of its newest event; nil for other nodes.
    package func state(of node: Node) -> ClientState? { index(of: node).flatMap { rows[$0].before } }

    /// The state of a node's client after all events so far; nil for other nodes, and while it does not run.
    package func current(of node: Node) -> ClientState? { index(of: node).flatMap { rows[$0].now } }

    /// True if the node has started and not ended.
    package func isRunning(_ node: Node) -> Bool { index(of: node).map { rows[$0].isRunning } ?? false }

    /// The clients in the order of their first events. The state is the one after all events so far; nil if the client
    /// does not run.
    package var clients: [(node: Node, state: ClientState?)] {
        rows.filter(\.isClient).map { ($0.node, $0.now) }
    }

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

    /// Starts a node. A client is logged out at first. A server has no state.
    package mutating func start(_ node: Node, isClient: Bool) {
        let state: ClientState? = isClient ? .loggedOut : nil
        change(node) { row in
            row.isClient = isClient
            row.isRunning = true
            (row.before, row.now) = (state, state)
        }
    }

    package mutating func input(_ node: Node) { change(node) { $0.before = $0.now } }

    /// Changes the state of a client. If this is the first event of the node in the session, the node is a client that
    /// started earlier, because only clients have transitions.
    package mutating func change(_ node: Node, to state: ClientState) {
        change(node) { row in
            (row.isClient, row.isRunning) = (true, true)
            row.now = state
        }
    }

    /// Handles an event from a log. Each such event counts as an input, because a log does not contain the inputs that
    /// led to its states.
    package mutating func observe(_ event: LoggedEvent, of node: Node) {
        change(node) { $0.isClient = true }
        input(node)
        if event.kind == .life, event.name == LoggedEvent.processStarted { start(node, isClient: true) }
        if let state = event.state { change(node, to: state) }
    }

    package mutating func stop(_ node: Node) {
        change(node) { row in
            row.isRunning = false
            (row.before, row.now) = (row.now, nil)
        }
    }
}

extension NodeStates where Node == String {
    /// Handles an event.
    ///
    /// - Returns: the state of the event's node before the input that led to the event; nil if it is not a client.
    @discardableResult
    package mutating func note(_ event: SessionEvent) -> ClientState? {
        switch event.content {
        case .start(let record): start(event.node, isClient: !record.isServer)
        case .input: input(event.node)
        case .effect(.transition(let change)): self.change(event.node, to: change.to)
        case .stop: stop(event.node)
        case .environment(.observed(let observed)): observe(observed, of: event.node)
        case .effect, .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
        return state(of: event.node)
    }
}
