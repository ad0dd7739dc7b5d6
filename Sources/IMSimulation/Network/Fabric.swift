import IMProtocol
import IMSession
import SansIO

/// What carries out the link effects of a world's nodes: real sockets or simulated ones. It makes no decision; it does
/// what it is told and reports what happens through ``WorldCore/deliver(_:to:cause:)``, each thing with the event that led to it,
/// as far as it knows.
package protocol Fabric: AnyObject {
    func connect(_ connection: ConnectionID, from client: NodeID, cause: EventID)
    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID, cause: EventID)
    func close(_ connection: ConnectionID, from node: NodeID, cause: EventID)
    /// The node's process has ended: its links break as the operating system breaks them.
    func processEnded(_ node: NodeID, cause: EventID)
    /// Whether the server takes connections.
    func setListening(_ isListening: Bool)
    /// Does something to a client's network.
    ///
    /// - Parameter tell: lets the client know of it: once the network is as the action leaves it, so that whatever the
    ///   client begins then is begun there (C-9), and before it learns which of its links have ended.
    /// - Returns: the frames that `release` and `clear` let go.
    @discardableResult
    func apply(_ action: NetAction, to client: NodeID, cause: EventID, tell: () -> Void) -> ReleasedFrames
    /// A client was added.
    func clientAdded(_ client: NodeID, seed: UInt64)
    /// What is set on a client's network now.
    func conditions(of client: NodeID) -> LinkConditions?
}

/// A node of a world, by its place in it.
public struct NodeID: Hashable, Comparable, Sendable {
    /// Its place among the nodes of the world, from 0; it is nobody else's even when the client is closed.
    public let rawValue: Int

    /// Whether the left one was made before.
    public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }
}
