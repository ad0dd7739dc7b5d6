import IMSession
import SansIO

// The functions with which a fork continues from a position in a recording.

extension WorldCore {
    /// Installs a machine that a fork has reconstructed. The node receives no input, and nothing is recorded.
    func install(_ machine: NodeMachine?, as id: NodeID) {
        nodes[id.rawValue].machine = machine
        alarms[id.rawValue] =
            nodes[id.rawValue].frozen.map { NodeMachine.Deadline(at: $0.until) } ?? machine?.deadline
    }

    /// Sets the time of the next deadline input of a node; nil for none, until another input sets one.
    func setAlarm(_ instant: Instant?, of id: NodeID) {
        alarms[id.rawValue] = instant.map { NodeMachine.Deadline(at: $0) }
    }

    /// Appends an event that happened before this world began to this world's recording and events.
    @discardableResult
    func restore(_ event: SessionEvent, of id: NodeID?, cause: EventID) throws -> EventID {
        try append(event, of: id, cause: cause) { recording, index, cause, comment in
            try Self.write(event, into: recording, index, cause: cause, comment)
        }
    }
}
