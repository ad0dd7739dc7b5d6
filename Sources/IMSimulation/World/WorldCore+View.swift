import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO

// Reads single properties of a machine in place. A copy of the whole machine for each read would take most of a
// search's time.

extension WorldCore {
    /// Reads a node in place.
    @inline(__always)
    func read<Value>(_ id: NodeID, _ body: (Node) -> Value) -> Value {
        nodes.withUnsafeBufferPointer { body($0[id.rawValue]) }
    }

    /// Reads a client's machine in place; nil if its app does not run.
    @inline(__always)
    private func readClient<Value>(_ id: NodeID, _ body: (inout ClientMachine) -> Value) -> Value? {
        nodes.withUnsafeMutableBufferPointer { $0[id.rawValue].machine?.atClient(body) ?? nil }
    }

    /// True if the client was removed from the world.
    package func isClosed(_ id: NodeID) -> Bool { read(id) { $0.isClosed } }

    /// True if the process of the node runs.
    package func isRunning(_ id: NodeID) -> Bool {
        // A comparison with nil would copy the machine.
        read(id) { if case .some = $0.machine { true } else { false } }
    }

    /// The profile that a node's machine was last started with.
    func profile(of id: NodeID) -> String { read(id) { $0.profile } }

    /// The user who is logged in on a client; nil for none, and if its app does not run.
    package func user(of id: NodeID) -> String? { readClient(id) { $0.user } ?? nil }

    /// The state of a client; nil if its app does not run.
    package func state(of id: NodeID) -> ClientState? {
        readClient(id) { $0.state }
    }

    /// True if the token that a client is logged in with has expired.
    package func isLoginTokenExpired(of id: NodeID) -> Bool {
        readClient(id) { $0.isLoginTokenExpired } ?? false
    }

    /// The whole machine of a client, copied; nil if its app does not run.
    package func clientMachine(of id: NodeID) -> ClientMachine? {
        read(id) { $0.machine?.client }
    }

    /// The whole machine of the server, copied; nil if no server runs.
    package var serverMachine: ServerMachine? {
        serverID.flatMap { read($0) { $0.machine?.server } }
    }

    /// The device of a client; nil for a server.
    package func deviceID(of id: NodeID) -> String? { read(id) { $0.device?.id } }

    /// True if the node's device sleeps.
    package func isAsleep(_ id: NodeID) -> Bool { read(id) { $0.frozen != nil } }

    /// True if a client's local data may be read (C-13).
    package func isDataOpen(of id: NodeID) -> Bool {
        readClient(id) { $0.isDataOpen } ?? false
    }

    /// A client's local data if it is open and in memory; nil otherwise.
    package func localDatabase(of id: NodeID) -> UserDatabase? {
        guard let owner = read(id, { $0.dataOwner }) else { return nil }
        let data = try? store.data(of: owner, profile: profile(of: id), client: name(of: id))
        return (data as? MemoryUserData)?.value
    }

    /// The server's current policy; nil if no server runs.
    package var currentServerPolicy: ServerPolicy? {
        serverID.flatMap { read($0) { $0.machine?.server?.policy } }
    }

    /// True if the server runs.
    package var isServerRunning: Bool {
        serverID.map(isRunning) ?? false
    }

    /// The name of a node.
    package func name(of id: NodeID) -> String { names[id.rawValue] }

    /// The node's next deadline.
    package func alarm(of id: NodeID) -> Instant? { alarms[id.rawValue]?.at }
}
