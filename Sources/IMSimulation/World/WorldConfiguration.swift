import IMClient
import IMProfiles
import IMServer
import IMSession
import SansIO

/// What a world is made from.
public struct WorldConfiguration: Sendable {
    /// The profile, which is also the application that tokens are for.
    public var profile: String
    /// The policy of every client that is made.
    public var clientPolicy: ClientPolicy
    /// The server's policy; nil for a world whose server is elsewhere.
    public var serverPolicy: ServerPolicy?
    /// Decides every draw of chance in machines and links.
    public var seed: UInt64
    /// The wall clock at instant zero, nanoseconds since 1970.
    public var epochNanoseconds: Int64
    /// The one-way delay of simulated links.
    public var latency: Interval
    /// In which order things happen in a simulated world that are due at the same moment.
    public var order = DueOrder.fixed
    /// When the recording goes to the operating system.
    public var flushing: RecordingFlush
    /// What becomes of the world when its recording cannot go on.
    public var whenUnrecorded = WhenUnrecorded.ends
    /// Whether users get accounts and tokens the first time their name is used.
    public var isOpen: Bool

    /// A configuration; the recording's end is the world's unless ``whenUnrecorded`` is set.
    public init(
        profile: String, clientPolicy: ClientPolicy, serverPolicy: ServerPolicy?, seed: UInt64,
        epochNanoseconds: Int64, latency: Interval = .milliseconds(10),
        flushing: RecordingFlush = .eachBatch,
        isOpen: Bool = true
    ) {
        self.profile = profile
        self.clientPolicy = clientPolicy
        self.serverPolicy = serverPolicy
        self.seed = seed
        self.epochNanoseconds = epochNanoseconds
        self.latency = latency
        self.flushing = flushing
        self.isOpen = isOpen
    }

    /// A simulated world of a system as it is documented.
    ///
    /// - Parameters:
    ///   - dialect: the system, such as `Dialects.named("nim")`.
    ///   - seed: decides every draw of chance, and the wall clock at the beginning (``simulatedEpoch(seed:)``).
    ///   - order: in which order things happen that are due at the same moment.
    public init(_ dialect: any Dialect, seed: UInt64 = 1, order: DueOrder = .fixed) {
        self.init(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: dialect.serverPolicy,
            seed: seed,
            epochNanoseconds: Self.simulatedEpoch(seed: seed), flushing: .whenFull)
        self.order = order
    }

    /// How long tokens live for which nobody says it; nil for ever.
    public var tokenLifetime: Interval? {
        guard let serverPolicy else { return tokenLifetimeDefault }
        return serverPolicy.tokenLifetime
    }

    /// Whether users may log in with passwords.
    public var hasPasswords: Bool { clientPolicy.features.contains(.passwords) }

    /// The wall clock at instant zero of a simulated session for which nobody chose one: 2026-01-01 00:00:00 UTC and
    /// as many seconds as the seed says, so that a session is a function of its script and its seed.
    public static func simulatedEpoch(seed: UInt64) -> Int64 {
        WallClock.simulatedEpoch(seed: seed)
    }
}

/// When a recording goes to the operating system, apart from its end and a buffer that is full.
public enum RecordingFlush: Hashable, Sendable {
    /// After each batch of effects, so that a killed process loses nothing that it acted upon.
    case eachBatch
    /// Before an event is told that ``WorldCore/isShown`` holds for, and at the end of whatever the world is told to do:
    /// for a simulated world that somebody watches, which acts upon nothing.
    case beforeShown
    case whenFull
}

/// What becomes of a world whose recording cannot go on, as on a full disk. Nothing that is not in the file is ever
/// shown, and nothing is acknowledged on the strength of it; the three differ in what comes then.
public enum WhenUnrecorded: String, Hashable, Sendable, CaseIterable {
    /// The session is over; the file ends behind what was shown.
    case ends = "end"
    /// The server takes nobody until there is room again, and then goes on in the same file.
    case stops = "stop"
    /// The server goes on without a recording until there is room again; then the file goes on with the state of that
    /// moment.
    case goesOn = "go-on"
}

/// The recording of a world that ends with it cannot go on.
public struct RecordingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, why it cannot go on, and what comes of that.
    public let description: String
}
