import IMClient
import IMSession
import Recorder

/// The state of each client at every event of a recording.
struct InStateIndex {
    private struct Change {
        var number: UInt64
        /// Nil for a node without a state.
        var state: ClientState?
    }

    private var states = NodeStates<NodeIndex>()
    /// For each node, the results of ``state(of:at:)`` from an event on.
    private var changes: [NodeIndex: [Change]] = [:]

    /// Requires every event, in order.
    mutating func note(_ view: EventView) {
        states.note(view)
        let state = states.state(of: view.node)
        let last = changes[view.node]?.last
        if last.map({ $0.state != state }) ?? (state != nil) {
            changes[view.node, default: []].append(Change(number: view.number, state: state))
        }
    }

    /// The state of a node's client when the cause of its event arrived; nil for other nodes.
    func state(of node: NodeIndex, at number: UInt64) -> ClientState? {
        guard let changes = changes[node] else { return nil }
        // The first change after the event.
        var range = changes.startIndex..<changes.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = changes[middle].number <= number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound == 0 ? nil : changes[range.lowerBound - 1].state
    }
}
