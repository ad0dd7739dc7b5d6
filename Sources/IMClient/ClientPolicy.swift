import IMLocalData
import IMProtocol
import SansIO

/// Everything that differs between the SDKs of two systems: numbers and choices, no code. A profile is a client policy,
/// a server policy and a dialect.
public struct ClientPolicy: Hashable, Sendable, Codable {
    /// The profile's name; also the application of its tokens.
    public var profile: String

    /// The features of the system; a call to any other feature is answered with ``Status/unsupported``.
    public var features: ClientFeatures = []

    // Logging in
    /// A login attempt that takes longer fails (NIM 408, RTM-2).
    public var attemptTimeLimit = Interval.seconds(10)
    /// When data is fetched after a login (NIM-14, CHAT-12).
    public var sync = SyncTime.never
    /// True if a kicked client refuses a login before a logout (RTM-6).
    public var kickedNeedsLogout = false
    /// True if a kicked client logs itself out at once, so that only a new login is possible (CHAT-10).
    public var kickLogsOut = false
    /// The platforms on which a login during an outage replaces the retrying login (C-2); on others it is refused.
    public var loginReplacesRetries: [Platform] = []
    /// True if the refusal of a second login depends on its user. False if it depends on the current phase (CHAT 200
    /// and 218).
    public var refusesLoginByUser = false
    /// True if a logout without a login is refused. False if it succeeds and does nothing.
    public var logoutWithoutLoginFails = false
    /// True if a logout that could not reach the server reports that (NIM-10); the client is logged out all the same.
    public var logoutReportsUnreachedServer = false
    /// True if a logout that unbinds push requires the server, and otherwise leaves the user logged in (CHAT-11).
    public var logoutNeedsServer = false
    /// How long a logout waits for the server's answer; then it ends without one.
    public var logoutTimeLimit = Interval.seconds(3)

    /// True if every failed manual login forbids automatic ones (NIM-3). False if only a refusal of the user by the
    /// server does (C-11).
    public var failedLoginForbidsAutologin = false

    // Tokens
    /// When the app is notified that the token will expire (ZIM-6, CHAT-10).
    public var tokenWarning = TokenWarning.never
    /// True if an expired token ends the login (ZIM-6). False if the app is only notified (RTM-5).
    public var tokenExpiryEndsLogin = false
    /// True if a reconnect that the server refuses ends the login. False if the client continues to reconnect, and a
    /// refused token counts as expired (RTM-5).
    public var refusalEndsLogin = true
    /// An offline login requires a token that is valid for at least this long (ZIM-1).
    public var offlineTokenMin = Interval.seconds(30)

    /// The app's function that gives a token for each attempt (NIM V2's `tokenProvider`); nil if the token of the login
    /// call is used for all. Optional, so that policies without it are recorded as before.
    public var tokenProvider: TokenProvider?

    // Reconnecting
    /// The delays before the retries; the last one repeats forever (NIM-5, C-9).
    public var retryDelays: [Interval]
    /// The jitter added to each delay, in thousandths of the delay at most, from the seed.
    public var retryJitterPerMille: Int64 = 0
    /// Maximum number of failed retries before the SDK gives up; 0 for no limit (NIM-6).
    public var retryCountMax = 0
    /// How often a login by hand is retried before the server has accepted it (NIM V2's `retryCount`); nil for a login
    /// that is tried once. Optional, so that policies without it are recorded as before.
    public var loginRetryCountMax: Int?
    /// How long a login by hand may take with all its retries (NIM V2's `timeout`); nil for no limit. Optional, so that
    /// policies without it are recorded as before.
    public var loginTimeLimit: Interval?
    /// The behaviour of the SDK in a long outage (RTM 2); nil if it only waits for its delays. Optional, so that
    /// policies without it are recorded as before.
    public var suspension: Suspension?
    /// If a connection breaks later than this after the login, the client reconnects at once. After an earlier break it
    /// waits as after a failed attempt, so as not to hammer a server that accepts and drops connections.
    public var stableAfter = Interval.seconds(2)
    /// True if the first retry after a stable connection also waits, instead of following at once (C-9).
    public var firstRetryWaits = false
    /// The number of hosts that an attempt tries, one after the other, as long as they refuse the connection (C-9).
    public var hostCount = 1
    /// How long the SDK hides a broken connection from the app (RTM-3).
    public var interruptionGrace = Interval.zero

    // Keeping a connection alive
    /// The time between two heartbeats while a login is established (C-12).
    public var heartbeatInterval = Interval.seconds(30)
    /// Added to the time until the next heartbeat after each answered one; zero for a constant interval.
    public var heartbeatGrowth = Interval.zero
    /// The maximum interval that ``heartbeatGrowth`` can reach.
    public var heartbeatIntervalMax = Interval.zero
    /// A connection whose heartbeat is unanswered for this long is dead (C-12).
    public var heartbeatAnswerLimit = Interval.seconds(10)
    /// A connection on which nothing arrives for this long is dead, however long the answer to one heartbeat takes
    /// (RTM-3). Zero if only ``heartbeatAnswerLimit`` applies.
    public var silenceLimit = Interval.zero

    // Calls
    /// How long a call waits for its answer; then it fails with `timeout`.
    public var requestTimeLimit = Interval.seconds(10)
    /// How long a message may take, including the wait for a connection; then it fails with `timeout`.
    public var messageTimeLimit = Interval.seconds(10)
    /// How long a read of the tree waits for a connection.
    public var readTimeLimit = Interval.seconds(3)
    /// Channels that one login may join; one more is refused.
    public var channelCountMax = 20
    /// Users whose presence may be watched; one more is refused.
    public var watchedCountMax = 512
    /// Attributes of one user or one channel; a larger set is refused.
    public var attributeCountMax = 32
    /// Bytes of one attribute's name; a longer name is invalid.
    public var attributeNameBytesMax = 32
    /// Bytes of one attribute's value; a set with a longer value is refused.
    public var attributeValueBytesMax = 8 << 10
    /// Bytes of all names and values of a user's attributes; a larger set is refused.
    public var attributeBytesMax = 16 << 10
    /// Bytes of all names and values of a channel's attributes; a larger set is refused.
    public var channelAttributeBytesMax = 32 << 10
    /// Maximum number of frames of one answer; more end the connection.
    public var answerPagesMax = 256
    /// Rate limits for calls; calls beyond them are refused (RTM-9).
    public var callRates: [CallRate] = []
    /// Maximum number of messages that wait for the connection.
    public var outboxCountMax = 100
    /// Calls on local data that a version of the SDK no longer has; nil for none. Optional, so that policies without it
    /// are recorded as before.
    public var removedCalls: [LocalCall]?

    // Notifications of the app
    /// `onLogin(step)` for each step (NIM-1).
    public var announcesLoginSteps = false
    /// The app is notified when other devices of the account log in or out (NIM-13).
    public var announcesDevices = false
    /// True if an automatic login reports success and failure in one callback. False if it reports only failure.
    public var announcesAutologinEnd = false
    /// The connection whose state the app is notified of (NIM V2, RTM 2); nil for none. Optional, so that policies
    /// without it are recorded as before.
    public var linkScope: LinkScope?
    /// True if the app is notified of the end of its login before the login ends (Chat 5, NIM V2); nil if after it.
    /// Optional, so that policies without it are recorded as before.
    public var announcesEndFirst: Bool?
    /// True if the local data of the last user opens when a login starts, and the app is notified when it is open
    /// (Chat 5). Nil if it opens with a successful login. Optional, so that policies without it are recorded as before.
    public var opensDataAtLogin: Bool?
    /// True if a browser whose login ends because of a login on the same device is notified of that (NIM V2); nil if it
    /// is notified as of any other device. Optional, so that policies without it are recorded as before.
    public var announcesOwnDevice: Bool?
    /// The numbers that an app may give to its own platforms (CHAT-5); nil if there are none.
    public var osTypes: ClosedRange<UInt32>?

    /// Values that are not set are those of most systems.
    public init(profile: String, retryDelays: [Interval]) {
        self.profile = profile
        self.retryDelays = retryDelays
    }

    /// The longest time between two heartbeats.
    public var longestHeartbeatInterval: Interval {
        heartbeatGrowth > .zero ? max(heartbeatInterval, heartbeatIntervalMax) : heartbeatInterval
    }

    /// The limits for a set of attributes of a channel or a user.
    func attributeLimits(ofChannel isChannel: Bool) -> AttributeLimits {
        AttributeLimits(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}

/// The features of a system. All other differences between systems are numbers or choices of the policy.
public struct ClientFeatures: OptionSet, Hashable, Sendable, Codable {
    /// One bit for each feature.
    public let rawValue: UInt32

    /// Features from the bits in a recording.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Automatic login of the last user (NIM-2).
    public static let autologin = ClientFeatures(rawValue: 1 << 0)
    /// Login on local data, without a network (ZIM-1).
    public static let offlineLogin = ClientFeatures(rawValue: 1 << 1)
    /// Ending the login of another device of the user (NIM-12).
    public static let kick = ClientFeatures(rawValue: 1 << 2)
    /// Admin calls: listing and ending logins with a credential (CHAT-6).
    public static let accountCalls = ClientFeatures(rawValue: 1 << 3)
    /// Messages to users.
    public static let messages = ClientFeatures(rawValue: 1 << 4)
    /// Messages that wait for a broken connection to return (RTM-8, ZIM-10).
    public static let messageQueue = ClientFeatures(rawValue: 1 << 5)
    /// A message that failed can be sent again under its id (ZIM-10).
    public static let resend = ClientFeatures(rawValue: 1 << 6)
    /// Channels that are joined and left, and messages to them.
    public static let channels = ClientFeatures(rawValue: 1 << 7)
    /// Attributes of users and channels (RTM-4).
    public static let attributes = ClientFeatures(rawValue: 1 << 8)
    /// Notifications of other users' presence.
    public static let presence = ClientFeatures(rawValue: 1 << 9)
    /// Operations that are sent to the user's other devices (CHAT-8).
    public static let operations = ClientFeatures(rawValue: 1 << 10)
    /// Login ids of the user's other devices to send to (CHAT-7).
    public static let selfIDs = ClientFeatures(rawValue: 1 << 11)
    /// Messages and the like are kept on the device (C-13).
    public static let localData = ClientFeatures(rawValue: 1 << 12)
    /// The synchronised tree, used without a login (SYNC-1).
    public static let tree = ClientFeatures(rawValue: 1 << 13)
    /// A new token for the current login.
    public static let tokenRenewal = ClientFeatures(rawValue: 1 << 14)
    /// The list of the user's other devices (NIM-13).
    public static let deviceList = ClientFeatures(rawValue: 1 << 15)
    /// Users may log in with a password instead of a token.
    public static let passwords = ClientFeatures(rawValue: 1 << 16)
    /// Calls on local data, which follows the server's (ZIM-9).
    public static let localCalls = ClientFeatures(rawValue: 1 << 17)
    /// An automatic login may take the place of another device (NIM-4). Without ``autologin`` it is a login by hand
    /// with force (NIM V2's `forceMode`).
    public static let forcedAutologin = ClientFeatures(rawValue: 1 << 24)
    /// A login that may set the user's name (ZIM-9).
    public static let loginUserName = ClientFeatures(rawValue: 1 << 25)
}

/// What the app's function for tokens does when the SDK calls it, after the link is up and before the login is sent.
public enum TokenProvider: String, Hashable, Sendable, Codable, CaseIterable {
    /// It returns a new token.
    case fresh
    /// It fails: the attempt ends (NIM-15).
    case fails
}

/// When data is fetched after a login.
public enum SyncTime: UInt8, Hashable, Sendable, Codable {
    case never
    /// The client counts as online only after the sync (NIM-14).
    case beforeOnline
    /// The client is online at once, and syncs then (CHAT-12).
    case whileOnline
}

/// When an app is notified that its token will expire.
public enum TokenWarning: Hashable, Sendable, Codable {
    case never
    case before(Interval)
    /// When this many thousandths of the token's lifetime have passed.
    case afterPerMille(Int64)
}

/// The options that an app may set in its SDK.
public enum ClientOption: Hashable, Sendable, Codable {
    /// NIM's `maxAutoLoginRetryTimes` (NIM-6).
    case retryCountMax(Int)
    /// The app's own delays between retries (NIM-5); an empty list restores the policy's.
    case retryDelays([Interval])
}
