import SansIO

// The network between one client and the server, as the `net` verbs of the shell set it.
//
// One value decides in both worlds: in the live one from a channel handler on a real socket (``ConnectionFaults``), in the
// simulated one from the event queue. Both use these definitions of the verbs, so that the outcome is the same:
//
//     down         The client has no network. Its connections end at once on the client's side (`networkDown`), and
//                  new connects fail at once. The server receives nothing, no close and no reset, until its own
//                  timeout ends its half of the connection. Such a half never recovers, not even after `up`.
//     up           The network is back. Connections that `down` ended stay ended.
//     switch       `down` and `up` at the same instant, from another address: the client's connections end, and the
//                  server receives nothing from the old ones.
//     half-open    Packets of both directions vanish and no side receives a close. Frames sent meanwhile are lost for
//                  good, and a connect hangs for good (until the caller cancels it). `up` or `clear` ends it, and the
//                  connection carries frames again. If one end was closed meanwhile, the other end is not notified; as
//                  with TCP, it receives a `reset` when it next sends something after the network is back.
//     reset        Both ends receive an abnormal close at once (`reset`). Frames in flight are lost. It is an event
//                  and no condition, so that nothing of it is stored here.
//     delay        The one-way delay of everything, instead of the base latency. `jitter` adds a random time from
//                  zero to its value. A later frame never overtakes an earlier one of its direction (``LinkQueue``
//                  ensures it).
//     loss         Each frame is lost with this probability.
//     drop         Frames of a name are lost.
//     duplicate    Frames of a name arrive twice, one right after the other.
//     hold         Frames of a name wait until `release` and then arrive in the order in which they were sent; other
//                  frames overtake them. Held frames survive the connection: released after a `down`, a frame to the
//                  server still reaches the server's old half, which is how to stage a late frame.
//     release      Releases the held frames. The rule stays and holds later ones. A frame whose connection is closed
//                  by then is lost, and counted (``ReleasedFrames``).
//     clear        Back to the initial state, also from `down`; held frames are released.
//
// The verdict on a frame is decided when it is sent. Frames in flight when the network goes down still arrive, if the
// receiving end is not closed by then. A close queues after the frames sent before it; rules and loss do not affect
// it.

/// A direction of frames, from the client's view. The shell uses `out` and `in`.
public enum LinkDirection: String, Hashable, Sendable, Codable, CaseIterable {
    /// The direction from the client to the server: `out`.
    case toServer
    /// The direction from the server to the client: `in`.
    case toClient
}

/// The state of the network of a client's device.
public enum NetworkState: String, Hashable, Sendable, Codable {
    /// Frames get through, unless the other conditions prevent it.
    case up
    /// Connections end, and connects fail at once.
    case down
}

/// The effect of a rule on its frames.
public enum FrameAction: String, Hashable, Sendable, Codable {
    /// The frames never arrive.
    case drop
    /// The frames wait for the next `release`.
    case hold
    /// The frames arrive twice, one right after the other.
    case duplicate
}

/// A `net drop|hold|duplicate` that is in force.
public struct FrameRule: Hashable, Sendable, Codable {
    /// The frame name that matches all frames.
    public static let anyFrame = "*"

    /// The effect on the matching frames.
    public var action: FrameAction
    /// A frame's name in the protocol, such as `login-ack`, or ``anyFrame``.
    public var frame: String
    /// The only direction that it matches; nil for both.
    public var direction: LinkDirection?
    /// The number of frames that it still applies to; nil for no limit.
    public var remaining: UInt32?

    /// `count` is the number of frames until the rule ends; nil for all, until `net clear`.
    public init(_ action: FrameAction, frame: String, direction: LinkDirection? = nil, count: UInt32? = nil) {
        self.action = action
        self.frame = frame
        self.direction = direction
        self.remaining = count
    }

    /// True if the rule matches such a frame.
    public func applies(to name: String, _ direction: LinkDirection) -> Bool {
        (frame == FrameRule.anyFrame || frame == name)
            && (self.direction == nil || self.direction == direction)
            && remaining != 0
    }
}

/// The verdict on one frame.
public enum FrameVerdict: Hashable, Sendable {
    /// The frame arrives this much later.
    case deliver(after: Interval)
    /// The frame arrives this much later, twice.
    case deliverTwice(after: Interval)
    /// The frame never arrives.
    case drop
    /// The frame arrives after the next `release`.
    case hold
}

/// The verdict on a connection attempt.
public enum ConnectVerdict: Hashable, Sendable {
    /// The server receives it after `there`, and the client the answer after another `back`.
    case proceed(there: Interval, back: Interval)
    /// The attempt fails at once: the network is down.
    case fail
    /// The attempt neither succeeds nor fails.
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
    /// The one-way delay without a `net delay`.
    public let latency: Interval
    /// The one-way delay.
    public var delay: Interval
    /// The maximum random addition to the delay.
    public var jitter: Interval = .zero
    /// The loss in parts per million of the frames.
    public var loss: UInt64 = 0
    /// The rules for named frames; the first matching rule applies.
    public var rules: [FrameRule] = []
    /// One random stream for each direction and one for connects, so that a draw of one does not shift the others.
    private var randomToServer: SeededRandom
    private var randomToClient: SeededRandom
    private var randomOfConnects: SeededRandom

    /// A network without faults.
    ///
    /// - Parameters:
    ///   - seed: seeds loss and jitter.
    ///   - latency: the base one-way delay; zero in the live world, where the real network adds its own.
    public init(seed: UInt64, latency: Interval) {
        self.latency = latency
        delay = latency
        var random = SeededRandom(seed: seed)
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// Reseeds the random streams and keeps the conditions.
    package mutating func reseed(_ random: inout SeededRandom) {
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// True if packets get through at all.
    public var carriesPackets: Bool { network == .up && !isHalfOpen }

    /// Decides on a frame that is being sent, and counts down the rule that applies.
    ///
    /// Each call draws equally often, whatever the conditions, so that turning on jitter does not change which frames
    /// are lost.
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

    /// The delay of a close that is being sent; nil if it is lost.
    public func closeDelay(direction: LinkDirection) -> Interval? {
        // No jitter and no draw: the close of a connection must not change what happens to the next connection's
        // frames.
        carriesPackets ? max(delay, .zero) : nil
    }

    /// Decides on a connection attempt.
    public mutating func connectVerdict() -> ConnectVerdict {
        let there = draw(\.randomOfConnects).after
        let back = draw(\.randomOfConnects).after
        guard network == .up else { return .fail }
        return isHalfOpen ? .hang : .proceed(there: there, back: back)
    }

    /// `net down`. The world ends the client's connections.
    public mutating func down() {
        network = .down
        isHalfOpen = false
    }

    /// `net up`.
    public mutating func up() {
        network = .up
        isHalfOpen = false
    }

    /// `net half-open`. It has no effect while the network is down.
    public mutating func halfOpen() {
        isHalfOpen = network == .up
    }

    /// `net drop|hold|duplicate`.
    public mutating func add(_ rule: FrameRule) {
        rules.append(rule)
    }

    /// `net clear`. The world releases the held frames. The random streams continue.
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
        // Always fork, also without jitter: later random values must not depend on whether there is jitter.
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
