import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO

// Single things of a machine, read where it stands: a copy of the whole machine for each would be most of a search.

extension WorldCore {
    /// What there is to read of a node, where it stands.
    @inline(__always)
    func read<Value>(_ id: NodeID, _ body: (Node) -> Value) -> Value {
        nodes.withUnsafeBufferPointer { body($0[id.rawValue]) }
    }

    /// What there is to read of a client's machine, where it stands; nil where its app does not run.
    @inline(__always)
    private func readClient<Value>(_ id: NodeID, _ body: (inout ClientMachine) -> Value) -> Value? {
        nodes.withUnsafeMutableBufferPointer { $0[id.rawValue].machine?.atClient(body) ?? nil }
    }

    /// Whether a client was taken out of the world.
    package func isClosed(_ id: NodeID) -> Bool { read(id) { $0.isClosed } }

    /// Whether the process of a node runs.
    package func isRunning(_ id: NodeID) -> Bool {
        // Compared with nil, it would be copied.
        read(id) { if case .some = $0.machine { true } else { false } }
    }

    /// The profile that a node's machine was last started with.
    func profile(of id: NodeID) -> String { read(id) { $0.profile } }

    /// Who is logged in on a client; nil for nobody, and where its app does not run.
    package func user(of id: NodeID) -> String? { readClient(id) { $0.user } ?? nil }

    /// The state of a client; nil where its app does not run.
    package func state(of id: NodeID) -> ClientState? {
        readClient(id) { $0.state }
    }

    /// Whether the token that a client is logged in with has ended.
    package func isLoginTokenExpired(of id: NodeID) -> Bool {
        readClient(id) { $0.isLoginTokenExpired } ?? false
    }

    /// The whole machine of a client, copied; nil where its app does not run.
    package func clientMachine(of id: NodeID) -> ClientMachine? {
        read(id) { $0.machine?.client }
    }

    /// The whole machine of the server, copied; nil where there is none that runs.
    package var serverMachine: ServerMachine? {
        serverID.flatMap { read($0) { $0.machine?.server } }
    }

    /// The device of a client; nil for a server.
    package func deviceID(of id: NodeID) -> String? { read(id) { $0.device?.id } }

    /// Whether a node's device sleeps.
    package func isAsleep(_ id: NodeID) -> Bool { read(id) { $0.frozen != nil } }

    /// Whether a client's local data may be read (C-13).
    package func isDataOpen(of id: NodeID) -> Bool {
        readClient(id) { $0.isDataOpen } ?? false
    }

    /// What a client's data holds where it is open and in memory; nil else.
    package func localDatabase(of id: NodeID) -> UserDatabase? {
        guard let owner = read(id, { $0.dataOwner }) else { return nil }
        let data = try? store.data(of: owner, profile: profile(of: id), client: name(of: id))
        return (data as? MemoryUserData)?.value
    }

    /// The server's policy as it is now; nil where there is no server that runs.
    package var serverPolicyNow: ServerPolicy? {
        serverID.flatMap { read($0) { $0.machine?.server?.policy } }
    }

    /// Whether the server runs.
    package var isServerRunning: Bool {
        serverID.map(isRunning) ?? false
    }

    /// The name of a node.
    package func name(of id: NodeID) -> String { names[id.rawValue] }

    /// When a node wants to be told the time next.
    package func alarm(of id: NodeID) -> Instant? { alarms[id.rawValue]?.at }
}
