import IMClient
import IMProfiles
import IMServer
import IMSession
import SansIO

/// The configuration of a world.
public struct WorldConfiguration: Sendable {
    /// The profile. It is also the application in each token that the world issues.
    public var profile: String
    /// The policy of every client that is created.
    public var clientPolicy: ClientPolicy
    /// The server's policy; nil for a world whose server is another process.
    public var serverPolicy: ServerPolicy?
    /// The seed of all random numbers in machines and connections.
    public var seed: UInt64
    /// The wall clock at instant zero, in nanoseconds since 1970.
    public var epochNanoseconds: Int64
    /// The one-way delay of simulated connections.
    public var latency = Interval.milliseconds(10)
    /// The order of simultaneous events in a simulated world.
    public var order = DueOrder.fixed
    /// When the recording is written to the operating system.
    public var flushing = RecordingFlush.eachBatch
    /// The behaviour of the world when its recording cannot continue.
    public var recordingFailurePolicy = RecordingFailurePolicy.ends
    /// True if users get accounts and tokens when their name is first used.
    public var isOpen = true

    /// Creates a configuration with the default values of all other properties.
    public init(
        profile: String, clientPolicy: ClientPolicy, serverPolicy: ServerPolicy?, seed: UInt64,
        epochNanoseconds: Int64
    ) {
        self.profile = profile
        self.clientPolicy = clientPolicy
        self.serverPolicy = serverPolicy
        self.seed = seed
        self.epochNanoseconds = epochNanoseconds
    }

    /// A simulated world of a vendor's system as documented.
    ///
    /// - Parameters:
    ///   - dialect: the system, such as `Dialects.named("nim")`.
    ///   - seed: the seed of all random numbers. It also decides the wall clock at instant zero
    ///     (``simulatedEpoch(seed:)``).
    ///   - order: the order of simultaneous events.
    public init(_ dialect: any Dialect, seed: UInt64 = 1, order: DueOrder = .fixed) {
        self.init(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: dialect.serverPolicy,
            seed: seed, epochNanoseconds: Self.simulatedEpoch(seed: seed))
        flushing = .whenFull
        self.order = order
    }

    /// The lifetime of tokens that are issued without one; nil if they do not expire.
    public var tokenLifetime: Interval? {
        guard let serverPolicy else { return tokenLifetimeDefault }
        return serverPolicy.tokenLifetime
    }

    /// True if the server has passwords, also for a version of the SDK that logs in with tokens only (Chat 5).
    public var hasPasswords: Bool {
        clientPolicy.features.contains(.passwords) || serverPolicy?.passwordChangeEndsLogins == true
    }

    /// The default wall clock at instant zero of a simulated session, in nanoseconds since 1970: 2026-01-01 00:00:00
    /// UTC plus a number of seconds that depends on the seed. So a session depends only on its script and its seed.
    public static func simulatedEpoch(seed: UInt64) -> Int64 {
        WallClock.simulatedEpoch(seed: seed)
    }
}

/// When a recording is written to the operating system. A full buffer, and the end of the recording, always cause a
/// write.
public enum RecordingFlush: Hashable, Sendable {
    /// After each batch of effects, so that no effect that a killed process carried out is missing from the file.
    case eachBatch
    /// Before ``WorldCore/onEvent`` receives an event for which ``WorldCore/isShown`` is true, and after each call to
    /// the world. This is for a simulated world whose events a user reads. A simulated world has no effects outside its
    /// process, so only the events that the user has seen must be in the file.
    case beforeShown
    case whenFull
}

/// The behaviour of a world whose recording cannot continue, as on a full disk. With ``ends`` and ``stops``, no event
/// is shown or acknowledged that is not in the file.
public enum RecordingFailurePolicy: String, Hashable, Sendable, CaseIterable {
    /// The session ends; the file ends after the last shown event.
    case ends = "end"
    /// The server accepts no connections until there is space, then continues in the same file.
    case stops = "stop"
    /// The server continues without a recording until there is space; then the file continues with the server's state
    /// at that time.
    case continues = "go-on"
}

/// The recording cannot continue, and the world ends with it.
public struct RecordingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, the reason and the consequence.
    public let description: String
}
