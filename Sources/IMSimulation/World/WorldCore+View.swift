import IMClient
import IMData
import IMProtocol
import IMServer
import IMSession
import SansIO

// Single things of a machine, read where it stands: a copy of the whole machine for each would be most of a search.

extension WorldCore {
    /// The state of a client; nil where its app does not run.
    package func state(of id: NodeID) -> ClientState? {
        nodes.withUnsafeBufferPointer { $0[id.rawValue].machine?.client?.state }
    }

    /// Whether the token that a client is logged in with has ended.
    package func isLoginTokenExpired(of id: NodeID) -> Bool {
        nodes.withUnsafeBufferPointer { $0[id.rawValue].machine?.client?.isLoginTokenExpired ?? false }
    }

    /// The whole machine of a client, copied; nil where its app does not run.
    package func clientMachine(of id: NodeID) -> ClientMachine? {
        nodes.withUnsafeBufferPointer { $0[id.rawValue].machine?.client }
    }

    /// The whole machine of a server, copied; nil where it does not run.
    package func serverMachine(of id: NodeID) -> ServerMachine? {
        nodes.withUnsafeBufferPointer { $0[id.rawValue].machine?.server }
    }

    /// The device of a client; nil for a server.
    package func deviceID(of id: NodeID) -> String? { nodes.withUnsafeBufferPointer { $0[id.rawValue].device?.id } }

    /// Whether a node's device sleeps.
    package func isAsleep(_ id: NodeID) -> Bool { nodes.withUnsafeBufferPointer { $0[id.rawValue].frozen != nil } }

    /// Whether a client's local data may be read (C-13).
    package func isDataOpen(of id: NodeID) -> Bool {
        nodes.withUnsafeBufferPointer { $0[id.rawValue].machine?.client?.isDataOpen ?? false }
    }

    /// What a client's data holds where it is open and in memory; nil else.
    package func localDatabase(of id: NodeID) -> UserDatabase? {
        guard let owner = self[id].dataOwner else { return nil }
        let data = try? store.data(of: owner, profile: self[id].profile, client: self[id].name)
        return (data as? MemoryUserData)?.value
    }

    /// The server's policy as it is now; nil where there is no server that runs.
    package var serverPolicyNow: ServerPolicy? {
        guard let place = serverID?.rawValue else { return nil }
        return nodes.withUnsafeBufferPointer { $0[place].machine?.server?.policy }
    }

    /// Whether the server runs.
    package var isServerRunning: Bool {
        guard let place = serverID?.rawValue else { return false }
        // Compared with nil, it would be copied.
        return nodes.withUnsafeBufferPointer { if case .some = $0[place].machine { true } else { false } }
    }

    /// The name of a node.
    package func name(of id: NodeID) -> String { names[id.rawValue] }

    /// When a node wants to be told the time next.
    package func alarm(of id: NodeID) -> Instant? { alarms[id.rawValue]?.at }
}
