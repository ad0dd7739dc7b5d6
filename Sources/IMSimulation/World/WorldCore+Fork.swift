import IMSession
import SansIO

// What it takes to go on from a moment of a recording.

extension WorldCore {
    /// Puts a node's machine into its place as it was, without a word to it and without a record.
    func install(_ machine: NodeMachine?, as id: NodeID) {
        nodes[id.rawValue].machine = machine
        alarms[id.rawValue] =
            nodes[id.rawValue].frozen.map { NodeMachine.Deadline(at: $0.until) } ?? machine?.deadline
    }

    /// When a node is told the time next; nil for never, until something else happens to it.
    func setAlarm(_ instant: Instant?, of id: NodeID) {
        alarms[id.rawValue] = instant.map { NodeMachine.Deadline(at: $0) }
    }

    /// Takes over what happened before this world began, into its own record.
    @discardableResult
    func restore(_ event: SessionEvent, of id: NodeID?, cause: EventID) throws -> EventID {
        try append(event, of: id, cause: cause) { recording, index, cause, comment in
            try Self.write(event, into: recording, index, cause: cause, comment)
        }
    }
}
