import SansIO

/// What a user can do to the network between a client and the server. What each verb means stands in
/// `LinkConditions.swift`; it is the same in both worlds.
public enum NetAction: Hashable, Sendable {
    /// The device has no network any more.
    case down
    /// It has one again; also ends `half-open`.
    case up
    /// `net switch`: to another network; the client sees its connections end, the server sees silence.
    case switchNetwork
    /// Packets of both directions vanish, and nobody sees a close.
    case halfOpen
    /// Both ends see an abnormal close.
    case reset
    /// The one-way delay, and the most that chance adds to it.
    case delay(Interval, jitter: Interval)
    /// In parts per million.
    case loss(UInt64)
    /// `net drop|hold|duplicate`.
    case rule(FrameRule)
    /// Lets go what is held.
    case release
    /// Back to a network without faults.
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
