import IMSession
import SansIO

// What it takes to go on from a moment of a recording.

extension WorldCore {
    /// Puts a node's machine into its place as it was, without a word to it and without a record.
    func install(_ machine: NodeMachine?, as id: NodeID) {
        nodes[id.rawValue].machine = machine
        alarms[id.rawValue] = nodes[id.rawValue].frozen?.until ?? machine?.nextDeadline
    }

    /// When a node is told the time next; nil for never, until something else happens to it.
    func setAlarm(_ instant: Instant?, of id: NodeID) { alarms[id.rawValue] = instant }

    /// Takes over what happened before this world began, into its own record.
    func recite(_ event: SessionEvent, of id: NodeID?) throws {
        try append(event, of: id) { recording, index, comment in
            try Self.write(event, into: recording, index, comment)
        }
    }
}
