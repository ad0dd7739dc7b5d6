import IMProtocol
import IMSession
import SansIO

/// The network that carries out the connection effects of a world's nodes, with real sockets or simulated. It makes no
/// decision. It reports each event through ``WorldCore/deliver(_:to:cause:)``, with its cause if the cause is known.
package protocol WorldNetwork: AnyObject {
    func connect(_ connection: ConnectionID, from client: NodeID, cause: EventID)
    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID, cause: EventID)
    func close(_ connection: ConnectionID, from node: NodeID, cause: EventID)
    /// Breaks the connections of a node whose process has ended, as an operating system does.
    func processEnded(_ node: NodeID, cause: EventID)
    /// Starts or stops accepting connections to the server.
    func setListening(_ isListening: Bool)
    /// Changes a client's network.
    ///
    /// - Parameter notifyClient: notifies the client of the change. It is called after the change takes effect, so that
    ///   the client opens new connections under it (C-9), and before the client receives the end of its connections.
    /// - Returns: the frames that `release` and `clear` released.
    @discardableResult
    func apply(_ action: NetAction, to client: NodeID, cause: EventID, notifyClient: () -> Void) -> ReleasedFrames
    /// Called after a client was added.
    func clientAdded(_ client: NodeID, seed: UInt64)
    /// The current conditions of a client's network.
    func conditions(of client: NodeID) -> LinkConditions?
}

/// The identity of a node in a world.
public struct NodeID: Hashable, Comparable, Sendable {
    /// The index of the node in the world, from 0; it is not reused after the client was closed.
    public let rawValue: Int

    /// True if the left node was created earlier.
    public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }
}
