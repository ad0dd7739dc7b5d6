import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

// Single things of a machine, read where it stands: a copy of the whole machine for each would be most of a search.

extension WorldCore {
    /// Who is logged in on a client, or tries to; nil for nobody.
    package func user(of id: NodeID) -> String? { nodes[id.rawValue].machine?.client?.user }

    /// The state of a client; nil where its app does not run.
    package func state(of id: NodeID) -> ClientState? { nodes[id.rawValue].machine?.client?.state }

    /// Whether a client's local data may be read (C-13).
    package func isDataOpen(of id: NodeID) -> Bool { nodes[id.rawValue].machine?.client?.isDataOpen ?? false }

    /// The number of a client's login (C-6).
    package func loginEpoch(of id: NodeID) -> LoginEpoch? { nodes[id.rawValue].machine?.client?.loginEpoch }

    /// The server's policy as it is now; nil where there is no server that runs.
    package var serverPolicyNow: ServerPolicy? { serverID.flatMap { nodes[$0.rawValue].machine?.server?.policy } }

    /// The name of a node.
    package func name(of id: NodeID) -> String { nodes[id.rawValue].name }

    /// When a node wants to be told the time next.
    package func alarm(of id: NodeID) -> Instant? { alarms[id.rawValue]?.at }

    /// How many nodes there are, closed ones among them.
    package var nodeCount: Int { nodes.count }
}
