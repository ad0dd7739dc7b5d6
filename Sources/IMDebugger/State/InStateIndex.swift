import IMClient
import IMSession
import Recorder

/// In which state each client was, at every event of a recording.
struct InStateIndex {
    private struct Change {
        var number: UInt64
        /// nil for what has none.
        var state: ClientState?
    }

    private var states = NodeStates<NodeIndex>()
    /// What ``state(of:at:)`` answers from an event on, of each node.
    private var changes: [NodeIndex: [Change]] = [:]

    /// Has to be shown every event, in order.
    mutating func note(_ view: EventView) {
        states.note(view)
        let state = states.state(of: view.node)
        let last = changes[view.node]?.last
        if last.map({ $0.state != state }) ?? (state != nil) {
            changes[view.node, default: []].append(Change(number: view.number, state: state))
        }
    }

    /// The state of a node's client when what led to an event of it came in; nil for other nodes.
    func state(of node: NodeIndex, at number: UInt64) -> ClientState? {
        guard let changes = changes[node] else { return nil }
        // The first change behind the event.
        var range = changes.startIndex..<changes.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = changes[middle].number <= number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound == 0 ? nil : changes[range.lowerBound - 1].state
    }
}
