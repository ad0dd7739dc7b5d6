import IMProtocol
import SansIO

// The synchronised tree (SYNC-1 and following).

/// What a client knows of the tree.
struct ClientTree: Hashable, Sendable, Codable {
    mutating func loginEnded() {}
}

extension ClientMachine {
    mutating func handle(
        _ request: TreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        complete(command, .unsupported, into: &effects)
    }

    mutating func goOffline(command: CommandID, into effects: inout [ClientEffect]) {
        complete(command, .unsupported, into: &effects)
    }

    mutating func goOnline(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        complete(command, .unsupported, into: &effects)
    }

    /// Only a confirmed login restores what the old link held (C-15, SYNC-10).
    func restoreTree(on connection: ConnectionID, into effects: inout [ClientEffect]) {
    }

    mutating func treeAnswered(
        _ number: UInt32, _ status: Status, _ value: TreeValue, into effects: inout [ClientEffect]
    ) {
    }

    mutating func treeChanged(at path: String, to value: TreeValue, into effects: inout [ClientEffect]) {
    }
}
