import SansIO

/// A command that changes the network between a client and the server. `LinkConditions.swift` defines the effect of
/// each.
public enum NetAction: Hashable, Sendable {
    /// The device loses its network.
    case down
    /// The network works again, after `down` or `halfOpen`.
    case up
    /// The device changes to another network. The client's connections end, and the server receives no close.
    case switchNetwork
    /// Packets of both directions vanish, and neither end receives a close.
    case halfOpen
    /// Both ends receive an abnormal close.
    case reset
    /// Sets the one-way delay, and the maximum random addition to it.
    case delay(Interval, jitter: Interval)
    /// Sets the probability that a frame is lost, in parts per million.
    case loss(UInt64)
    /// Adds a rule: `net drop`, `net hold` or `net duplicate`.
    case rule(FrameRule)
    /// Releases the held frames.
    case release
    /// Restores a network without faults.
    case clear

    /// The command as a user types it.
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
