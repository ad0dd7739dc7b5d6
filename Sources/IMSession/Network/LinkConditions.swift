import SansIO

// The network between one client and the server, as the `net` verbs of the shell set it.
//
// The live and the simulated world both use `LinkConditions`, so the same verbs have the same outcome in both. The live
// world applies it in a channel handler on a real socket (`ConnectionFaults`), the simulated world in its event queue.
// The verbs:
//
//     down         The client has no network. Its connections end at once on the client's side (`networkDown`), and new
//                  connects fail at once. The server receives nothing, no close and no reset. Its half of the
//                  connection remains open until the server's own timeout, even if `up` restores the network earlier.
//     up           The network works again. Connections that `down` ended remain closed.
//     switch       `down` and `up` at the same instant, from another address. The client's connections end, and the
//                  server receives nothing from the old connections.
//     half-open    Packets of both directions vanish, and no end receives a close. Frames sent meanwhile are lost, and
//                  a connect hangs until the caller cancels it. After `up` or `clear` the connection carries frames
//                  again. If one end was closed meanwhile, the other end is not notified. As with TCP, that end
//                  receives a `reset` when it sends the next frame after the network works again.
//     reset        Both ends receive an abnormal close at once (`reset`). Frames in flight are lost. A reset is an
//                  event, not a condition, so `LinkConditions` stores nothing about it.
//     delay        The one-way delay of frames, connects and closes, which replaces the base latency. `jitter` adds a
//                  random time from zero to its value. A frame never overtakes an earlier frame of the same direction
//                  (`LinkQueue` ensures this).
//     loss         Each frame is lost with this probability.
//     drop         Frames with the given name are lost.
//     duplicate    Frames with the given name arrive twice, one right after the other.
//     hold         Frames with the given name wait until `release`, and then arrive in the order in which they were
//                  sent. Other frames overtake them. Frames remain held if their connection breaks. After a `down`, a
//                  released frame to the server still arrives at the server's half of the old connection. A script uses
//                  this to produce a late frame.
//     release      Releases the held frames. The rule remains, and holds later frames. If the connection of a held
//                  frame is closed, the frame is lost and counted (`ReleasedFrames`).
//     clear        Restores the initial state, also after `down`, and releases the held frames.
//
// Whether and when a frame arrives is decided when the frame is sent. Frames in flight when the network goes down still
// arrive, unless the receiving end is closed by then. A close arrives after the frames that were sent before it. Rules
// and loss do not apply to a close.

/// A direction of frames. In the shell `out` and `in` mean the direction from the client's view.
public enum LinkDirection: String, Hashable, Sendable, Codable, CaseIterable {
    /// The direction from the client to the server: `out`.
    case toServer
    /// The direction from the server to the client: `in`.
    case toClient
}

/// The state of the network of a client's device.
public enum NetworkState: String, Hashable, Sendable, Codable {
    /// Frames arrive, unless another condition prevents this.
    case up
    /// The client's connections end, and its connects fail at once.
    case down
}

/// The effect of a ``FrameRule`` on the frames that it matches.
public enum FrameAction: String, Hashable, Sendable, Codable {
    /// The frames never arrive.
    case drop
    /// The frames wait for the next `release`.
    case hold
    /// The frames arrive twice, one right after the other.
    case duplicate
}

/// A rule that `net drop`, `net hold` or `net duplicate` has added.
public struct FrameRule: Hashable, Sendable, Codable {
    /// The frame name that matches all frames.
    public static let anyFrame = "*"

    /// The effect on the matching frames.
    public var action: FrameAction
    /// A frame's name in the protocol, such as `login-ack`, or ``anyFrame``.
    public var frame: String
    /// The direction of the matching frames; nil for both directions.
    public var direction: LinkDirection?
    /// The number of further frames to which the rule applies; nil for no limit.
    public var remaining: UInt32?

    /// Creates a rule.
    ///
    /// - Parameter count: the number of frames after which the rule ends; nil if it ends with `net clear`.
    public init(_ action: FrameAction, frame: String, direction: LinkDirection? = nil, count: UInt32? = nil) {
        self.action = action
        self.frame = frame
        self.direction = direction
        self.remaining = count
    }

    /// True if the rule applies to a frame with this name and direction.
    public func applies(to name: String, _ direction: LinkDirection) -> Bool {
        (frame == FrameRule.anyFrame || frame == name)
            && (self.direction == nil || self.direction == direction)
            && remaining != 0
    }
}

/// The decision whether and when a sent frame arrives.
public enum FrameVerdict: Hashable, Sendable {
    /// The frame arrives after this delay.
    case deliver(after: Interval)
    /// The frame arrives twice after this delay.
    case deliverTwice(after: Interval)
    /// The frame never arrives.
    case drop
    /// The frame arrives after the next `release`.
    case hold
}

/// The decision whether and when a connect succeeds.
public enum ConnectVerdict: Hashable, Sendable {
    /// The request reaches the server after the delay `there`, and the answer the client after the further delay
    /// `back`.
    case proceed(there: Interval, back: Interval)
    /// The connect fails at once, because the network is down.
    case fail
    /// The connect neither succeeds nor fails.
    case hang
}

/// The network between one client and the server. The comment at the top of the file defines each verb.
public struct LinkConditions: Hashable, Sendable, Codable {
    /// A probability of 1, in parts per million.
    public static let certain: UInt64 = 1_000_000

    /// The network state: `net down`, `net up`.
    public var network: NetworkState = .up
    /// True if packets of both directions vanish.
    public var isHalfOpen = false
    /// The base one-way delay, before any `net delay`.
    public let latency: Interval
    /// The current one-way delay.
    public var delay: Interval
    /// The maximum random addition to the delay.
    public var jitter: Interval = .zero
    /// The probability that a frame is lost, in parts per million.
    public var loss: UInt64 = 0
    /// The rules for named frames; the first matching rule applies.
    public var rules: [FrameRule] = []
    /// The random streams of the two directions and of connects. They are separate, so that a frame in one direction
    /// does not change the random numbers of the other direction.
    private var randomToServer: SeededRandom
    private var randomToClient: SeededRandom
    private var randomOfConnects: SeededRandom

    /// A network without faults.
    ///
    /// - Parameters:
    ///   - seed: the seed of the random numbers for loss and jitter.
    ///   - latency: the base one-way delay; zero in the live world, because the real network has its own delay.
    public init(seed: UInt64, latency: Interval) {
        self.latency = latency
        delay = latency
        var random = SeededRandom(seed: seed)
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// Gives the random streams new seeds. The conditions do not change.
    package mutating func reseed(_ random: inout SeededRandom) {
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// True if the network carries packets: it is neither down nor half-open.
    public var carriesPackets: Bool { network == .up && !isHalfOpen }

    /// Decides whether and when a frame that is being sent arrives. If a rule with a limit applies, its remaining count
    /// decreases.
    ///
    /// Each call draws the same number of random numbers under all conditions. So turning on jitter does not change
    /// which frames are lost.
    public mutating func verdict(frame name: String, direction: LinkDirection) -> FrameVerdict {
        let drawn: (isLost: Bool, after: Interval)
        switch direction {
        case .toServer: drawn = draw(\.randomToServer)
        case .toClient: drawn = draw(\.randomToClient)
        }
        guard carriesPackets else { return .drop }
        switch takeRule(for: name, direction) {
        case .drop: return .drop
        case .hold: return .hold
        case .duplicate: return drawn.isLost ? .drop : .deliverTwice(after: drawn.after)
        case nil: return drawn.isLost ? .drop : .deliver(after: drawn.after)
        }
    }

    /// The delay of a close that is being sent; nil if the close is lost.
    public func closeDelay(direction: LinkDirection) -> Interval? {
        // Without jitter: a random number drawn for a close would change the delays and losses of the frames of the
        // next connection.
        carriesPackets ? max(delay, .zero) : nil
    }

    /// Decides whether and when a connect succeeds.
    public mutating func connectVerdict() -> ConnectVerdict {
        let there = draw(\.randomOfConnects).after
        let back = draw(\.randomOfConnects).after
        guard network == .up else { return .fail }
        return isHalfOpen ? .hang : .proceed(there: there, back: back)
    }

    /// Applies `net down`. The caller ends the client's connections.
    public mutating func down() {
        network = .down
        isHalfOpen = false
    }

    /// Applies `net up`.
    public mutating func up() {
        network = .up
        isHalfOpen = false
    }

    /// Applies `net half-open`, which has no effect while the network is down.
    public mutating func halfOpen() {
        isHalfOpen = network == .up
    }

    /// Applies `net drop`, `net hold` or `net duplicate`.
    public mutating func add(_ rule: FrameRule) {
        rules.append(rule)
    }

    /// Applies `net clear`. The caller releases the held frames. The random streams are not reset.
    public mutating func clear() {
        up()
        delay = latency
        jitter = .zero
        loss = 0
        rules = []
    }

    private mutating func draw(
        _ random: WritableKeyPath<LinkConditions, SeededRandom>
    ) -> (isLost: Bool, after: Interval) {
        let isLost = self[keyPath: random].chance(partsPerMillion: loss)
        // The fork is drawn even without jitter, so that later random numbers do not depend on whether there is jitter.
        var randomOfJitter = self[keyPath: random].fork()
        return (isLost, max(delay, .zero) + randomOfJitter.interval(upTo: jitter))
    }

    private mutating func takeRule(for name: String, _ direction: LinkDirection) -> FrameAction? {
        guard let index = rules.firstIndex(where: { $0.applies(to: name, direction) }) else { return nil }
        let action = rules[index].action
        if let remaining = rules[index].remaining {
            if remaining > 1 {
                rules[index].remaining = remaining - 1
            } else {
                rules.remove(at: index)
            }
        }
        return action
    }
}
