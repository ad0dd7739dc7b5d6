import SansIO

// The network between one client and the server, as the `net` verbs of the shell set it.
//
// One value decides in both worlds: in the live one from inside a channel handler on a real socket (``LinkFaults``), in
// the simulated one from the event queue. So that the outcome is the same in both, this is what the verbs mean:
//
//     down         The client's network is gone. Its connections end at once as the client sees it (`networkDown`), and
//                  new connects fail at once. The server sees nothing: no close, no reset, only silence, until its own
//                  timeout ends its half. Such a half never comes back to life, not even after `up`.
//     up           The network is back. What `down` has ended stays ended.
//     switch       `down` and `up` in the same moment, from another address: the client sees its connections end, the
//                  server sees silence.
//     half-open    Packets of both directions vanish and no side sees a close. Frames sent meanwhile are lost for good,
//                  a connect hangs for good (until the caller gives it up). `up` or `clear` ends it, and the connection
//                  carries frames again. An end that was closed meanwhile is gone without a word; the other end learns
//                  of it, as with TCP, by a `reset` when it next sends something after the network is back.
//     reset        Both ends see an abnormal close at once (`reset`). Frames on the way are gone. It is an event and no
//                  condition, so nothing of it is kept here.
//     delay        The one-way delay of everything, instead of the base latency. `jitter` adds between zero and itself.
//                  A later frame never overtakes an earlier one of its direction (``LinkQueue`` sees to it).
//     loss         Each frame is lost with this probability.
//     drop         Frames of a name are lost.
//     duplicate    Frames of a name arrive twice, one right after the other.
//     hold         Frames of a name wait until `release` and then arrive in the order in which they were sent; other
//                  frames pass them by. What is held survives the connection: released after a `down`, a frame to the
//                  server still reaches the server's old half, which is how a late frame is staged.
//     release      Lets go what is held. The rule stays and holds what comes next. A frame whose connection
//                  is closed by then is lost, and counted (``ReleasedFrames``).
//     clear        Back to the state of the beginning, also from `down`; what is held is let go.
//
// The verdict on a frame falls when it is sent. What is already on the way when the network goes still arrives, if the
// end it goes to is not closed by then. Closes queue behind the frames sent before them; rules and loss leave them
// alone.

/// A direction of travel, as the client sees it. The shell says `out` and `in`.
public enum LinkDirection: String, Hashable, Sendable, Codable, CaseIterable {
    /// From the client to the server: `out`.
    case toServer
    /// From the server to the client: `in`.
    case toClient
}

/// Whether a client's device has a network at all.
public enum NetworkState: String, Hashable, Sendable, Codable {
    /// Frames get through, as far as the other conditions let them.
    case up
    /// Connections end, and connecting fails at once.
    case down
}

/// What a rule does to the frames it is for.
public enum FrameAction: String, Hashable, Sendable, Codable {
    /// They never arrive.
    case drop
    /// They wait for the next `release`.
    case hold
    /// They arrive twice, one right after the other.
    case duplicate
}

/// One `net drop|hold|duplicate` that is in force.
public struct FrameRule: Hashable, Sendable, Codable {
    /// The frame name that stands for all frames.
    public static let anyFrame = "*"

    /// What becomes of the frames that it is for.
    public var action: FrameAction
    /// A frame's name in the protocol, such as `login-ack`, or ``anyFrame``.
    public var frame: String
    /// The only direction it is for; nil is for both.
    public var direction: LinkDirection?
    /// How many more frames it is for; nil has no limit.
    public var remaining: UInt32?

    /// `count` is how many frames it is for before it is gone; nil for all, until `net clear`.
    public init(_ action: FrameAction, frame: String, direction: LinkDirection? = nil, count: UInt32? = nil) {
        self.action = action
        self.frame = frame
        self.direction = direction
        self.remaining = count
    }

    /// Whether the rule is for such a frame.
    public func applies(to name: String, _ direction: LinkDirection) -> Bool {
        (frame == FrameRule.anyFrame || frame == name)
            && (self.direction == nil || self.direction == direction)
            && remaining != 0
    }
}

/// What becomes of one frame.
public enum FrameVerdict: Hashable, Sendable {
    /// It arrives this much later.
    case deliver(after: Interval)
    /// It arrives this much later, twice.
    case deliverTwice(after: Interval)
    /// It never arrives.
    case drop
    /// It arrives after the next `release`.
    case hold
}

/// What becomes of an attempt to connect.
public enum ConnectVerdict: Hashable, Sendable {
    /// The server sees it after `there`, and the client knows after another `back`.
    case proceed(there: Interval, back: Interval)
    /// It fails at once: the network is down.
    case fail
    /// It neither succeeds nor fails.
    case hang
}

/// The network between one client and the server. The head of this file says what each verb means.
public struct LinkConditions: Hashable, Sendable, Codable {
    /// Parts per million of a certainty.
    public static let certain: UInt64 = 1_000_000

    /// Whether the device has a network: `net down`, `net up`.
    public var network: NetworkState = .up
    /// Packets of both directions vanish.
    public var isHalfOpen = false
    /// The one-way delay where no `net delay` is in force.
    public let latency: Interval
    /// The one-way delay.
    public var delay: Interval
    /// The most that chance adds to the delay.
    public var jitter: Interval = .zero
    /// How many of a million frames are lost.
    public var loss: UInt64 = 0
    /// The rules for named frames; of those that apply, the one set first decides.
    public var rules: [FrameRule] = []
    /// One source of chance for each direction and one for connects, so that what happens in one place does not change
    /// what happens in another.
    private var randomToServer: SeededRandom
    private var randomToClient: SeededRandom
    private var randomOfConnects: SeededRandom

    /// A network without faults.
    ///
    /// - Parameters:
    ///   - seed: decides every draw of loss and jitter.
    ///   - latency: the base one-way delay; zero in the live world, where the real network adds its own.
    public init(seed: UInt64, latency: Interval) {
        self.latency = latency
        delay = latency
        var random = SeededRandom(seed: seed)
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// Other chance from here on; what is set stays.
    package mutating func drawAnew(_ random: inout SeededRandom) {
        randomToServer = random.fork()
        randomToClient = random.fork()
        randomOfConnects = random.fork()
    }

    /// Whether packets get through at all.
    public var carriesPackets: Bool { network == .up && !isHalfOpen }

    /// Decides on a frame that is being sent, and uses up the count of the rule that applies.
    ///
    /// Each call draws equally often, whatever is set, so that turning on jitter does not change which frames are lost.
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

    /// How long a close that is being sent takes; nil when it gets lost.
    public func closeDelay(direction: LinkDirection) -> Interval? {
        // No jitter and no draw: the close of a connection must not shift the fate of the next connection's frames.
        carriesPackets ? max(delay, .zero) : nil
    }

    /// Decides on an attempt to connect.
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

    /// `net half-open`. While the network is down, there is nothing that could be half-open.
    public mutating func halfOpen() {
        isHalfOpen = network == .up
    }

    /// `net drop|hold|duplicate`.
    public mutating func add(_ rule: FrameRule) {
        rules.append(rule)
    }

    /// `net clear`. The world lets go what is held. Chance goes on where it was.
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
        // A generator of its own draws once here, with jitter or without.
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
