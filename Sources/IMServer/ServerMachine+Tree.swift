import IMProtocol
import OrderedCollections
import SansIO

// The synchronised tree (SYNC-1 and following).

/// The tree as the server holds it.
struct ServerTree: Hashable, Sendable, Codable {
}

extension ServerMachine {
    mutating func handle(
        _ tree: TreeRequest, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        effects.append(.send(id, Frame(request: request, .treeAck(.unsupported, .null))))
    }

    /// What was registered for the end of a connection is done, once, however it ended (SYNC-6).
    mutating func runDisconnectOperations(of id: ConnectionID, into effects: inout [ServerEffect]) {
    }
}
