import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

// Single things of a machine, read where it stands: a copy of the whole machine for each would be most of a search.

extension WorldCore {
    /// The state of a client; nil where its app does not run.
    package func state(of id: NodeID) -> ClientState? { nodes[id.rawValue].machine?.client?.state }

    /// Whether a node's device sleeps.
    package func isAsleep(_ id: NodeID) -> Bool { nodes[id.rawValue].frozen != nil }

    /// Whether a client's local data may be read (C-13).
    package func isDataOpen(of id: NodeID) -> Bool { nodes[id.rawValue].machine?.client?.isDataOpen ?? false }

    /// The server's policy as it is now; nil where there is no server that runs.
    package var serverPolicyNow: ServerPolicy? { serverID.flatMap { nodes[$0.rawValue].machine?.server?.policy } }

    /// The name of a node.
    package func name(of id: NodeID) -> String { nodes[id.rawValue].name }

    /// When a node wants to be told the time next.
    package func alarm(of id: NodeID) -> Instant? { alarms[id.rawValue]?.at }
}
