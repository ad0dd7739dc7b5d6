import IMProtocol
import SansIO

/// Everything in which one system's SDK differs from another's: numbers and choices, no code. A profile is a client
/// policy, a server policy and a dialect.
public struct ClientPolicy: Hashable, Sendable, Codable {
    /// The profile's name; it is also the application that its tokens are for.
    public var profile: String

    // Logging in
    /// A login attempt that has not succeeded by then has failed (NIM 408, RTM-2).
    public var attemptTimeLimit: Interval
    /// Whether the SDK has an automatic login by the user of last time (NIM-2).
    public var hasAutologin: Bool
    /// Whether data is fetched after the login before the client counts as online (NIM-14).
    public var syncsAfterLogin: Bool
    /// Whether a kicked client refuses to log in before it has logged out (RTM-6).
    public var kickedNeedsLogout: Bool
    /// Whether another login while one is running or held is answered with ``Status/alreadyLoggedIn`` in every case
    /// (RTM 8) rather than by what is the matter.
    public var logoutWithoutLoginFails: Bool
    /// Whether a logout that could not reach the server says so (NIM-10); it is logged out here all the same.
    public var logoutReportsUnreachedServer: Bool
    public var logoutTimeLimit: Interval

    // Reconnecting
    /// The waits before the retries; the last one goes on for ever (NIM-5, C-9).
    public var retryDelays: [Interval]
    /// Added to each wait: up to this many thousandths of it, drawn from the seed.
    public var retryJitterPerMille: Int64
    /// How many retries may fail before the SDK gives up; 0 for no limit (NIM-6).
    public var retryCountMax: Int
    /// A link that breaks later than this after the login is made anew at once; an earlier break waits like a failed
    /// attempt, so that a server that accepts and drops is not hammered.
    public var stableAfter: Interval
    /// How long a broken link stays the SDK's secret (RTM-3).
    public var interruptionGrace: Interval

    // Keeping a link alive
    public var heartbeatInterval: Interval
    /// A heartbeat unanswered for so long means that the link is dead (C-12).
    public var heartbeatAnswerLimit: Interval

    // Calls
    public var requestTimeLimit: Interval
    public var messageTimeLimit: Interval
    /// Whether messages wait in the client for a broken link to return (RTM-8).
    public var queuesMessages: Bool
    public var hasKick: Bool
    public var hasChannels: Bool
    public var channelCountMax: Int
    /// Messages that may wait for the link.
    public var outboxCountMax: Int

    // What the app is told
    /// `onLogin(step)` for each step (NIM-1).
    public var announcesLoginSteps: Bool
    /// The other devices of the account coming and going (NIM-13).
    public var announcesDevices: Bool

    public init(
        profile: String, attemptTimeLimit: Interval = .seconds(10), hasAutologin: Bool = false,
        syncsAfterLogin: Bool = false, kickedNeedsLogout: Bool = false, logoutWithoutLoginFails: Bool = false,
        logoutReportsUnreachedServer: Bool = false, logoutTimeLimit: Interval = .seconds(3),
        retryDelays: [Interval], retryJitterPerMille: Int64 = 0, retryCountMax: Int = 0,
        stableAfter: Interval = .seconds(2), interruptionGrace: Interval = .zero,
        heartbeatInterval: Interval = .seconds(30), heartbeatAnswerLimit: Interval = .seconds(10),
        requestTimeLimit: Interval = .seconds(10), messageTimeLimit: Interval = .seconds(10),
        queuesMessages: Bool = false, hasKick: Bool = false, hasChannels: Bool = false, channelCountMax: Int = 20,
        outboxCountMax: Int = 100, announcesLoginSteps: Bool = false, announcesDevices: Bool = false
    ) {
        self.profile = profile
        self.attemptTimeLimit = attemptTimeLimit
        self.hasAutologin = hasAutologin
        self.syncsAfterLogin = syncsAfterLogin
        self.kickedNeedsLogout = kickedNeedsLogout
        self.logoutWithoutLoginFails = logoutWithoutLoginFails
        self.logoutReportsUnreachedServer = logoutReportsUnreachedServer
        self.logoutTimeLimit = logoutTimeLimit
        self.retryDelays = retryDelays
        self.retryJitterPerMille = retryJitterPerMille
        self.retryCountMax = retryCountMax
        self.stableAfter = stableAfter
        self.interruptionGrace = interruptionGrace
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatAnswerLimit = heartbeatAnswerLimit
        self.requestTimeLimit = requestTimeLimit
        self.messageTimeLimit = messageTimeLimit
        self.queuesMessages = queuesMessages
        self.hasKick = hasKick
        self.hasChannels = hasChannels
        self.channelCountMax = channelCountMax
        self.outboxCountMax = outboxCountMax
        self.announcesLoginSteps = announcesLoginSteps
        self.announcesDevices = announcesDevices
    }
}

/// What an app may change in its SDK.
public enum ClientOption: Hashable, Sendable, Codable {
    /// NIM's `maxAutoLoginRetryTimes` (NIM-6).
    case retryCountMax(Int)
    /// The app's own waits between retries (NIM-5); none restores the policy's.
    case retryDelays([Interval])
}
