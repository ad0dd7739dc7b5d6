import IMClient
import IMSession
import Recorder
import SansIO

/// The state of each client at every event of a recording.
struct InStateIndex {
    private struct Change {
        var number: UInt64
        /// Nil for a node without a state.
        var state: ClientState?
    }

    private var states = NodeStates<NodeIndex>()
    /// For each node, the events at which the result of ``state(of:at:)`` changes, in order.
    private var changes: [NodeIndex: [Change]] = [:]

    /// Adds an event. The caller must pass every event of the recording, in order.
    mutating func note(_ view: EventView) {
        states.note(view)
        let state = states.state(of: view.node)
        let last = changes[view.node]?.last
        if last.map({ $0.state != state }) ?? (state != nil) {
            changes[view.node, default: []].append(Change(number: view.number, state: state))
        }
    }

    /// The state of a client before the input that caused the event `number`; nil for a node that is not a client.
    func state(of node: NodeIndex, at number: UInt64) -> ClientState? {
        guard let changes = changes[node] else { return nil }
        let later = changes.partitioningIndex { $0.number > number }
        return later == 0 ? nil : changes[later - 1].state
    }
}
