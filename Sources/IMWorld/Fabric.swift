import IMProtocol
import IMTransport
import SansIO

/// What carries out the link effects of a world's nodes: real sockets or simulated ones. It makes no decision; it does
/// what it is told and reports what happens through ``WorldCore/deliver(_:to:)``.
protocol Fabric: AnyObject {
    func connect(_ connection: ConnectionID, from client: NodeID)
    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID)
    func close(_ connection: ConnectionID, from node: NodeID)
    /// The node's process has ended: its links break as the operating system breaks them.
    func processEnded(_ node: NodeID)
    /// Whether the server takes connections.
    func setListening(_ isListening: Bool)
    func apply(_ action: NetAction, to client: NodeID)
    /// A client was added.
    func clientAdded(_ client: NodeID, seed: UInt64)
    /// What is set on a client's network now.
    func conditions(of client: NodeID) -> LinkConditions?
}

/// A node of a world, by its place in it.
public struct NodeID: Hashable, Comparable, Sendable {
    public let rawValue: Int

    public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }
}

/// What a user can do to the network between a client and the server. What each verb means stands in
/// `IMTransport/LinkConditions.swift`; it is the same in both worlds.
public enum NetAction: Hashable, Sendable {
    case down
    case up
    case switchNetwork
    case halfOpen
    case reset
    case delay(Interval, jitter: Interval)
    /// In parts per million.
    case loss(UInt64)
    case rule(FrameRule)
    case release
    case clear

    /// As a user types it.
    public var command: String {
        switch self {
        case .down: return "net down"
        case .up: return "net up"
        case .switchNetwork: return "net switch"
        case .halfOpen: return "net half-open"
        case .reset: return "net reset"
        case .delay(let delay, let jitter):
            let jitterText = jitter > .zero ? " --jitter \(jitter.inMilliseconds)ms" : ""
            return "net delay \(delay.inMilliseconds)ms\(jitterText)"
        case .loss(let loss): return "net loss \(Double(loss) / 10_000)%"
        case .rule(let rule):
            let direction = rule.direction.map { " --dir \($0 == .toServer ? "out" : "in")" } ?? ""
            let count = rule.remaining.map { " --count \($0)" } ?? ""
            return "net \(rule.action.rawValue) \(rule.frame)\(direction)\(count)"
        case .release: return "net release"
        case .clear: return "net clear"
        }
    }
}
