import IMProtocol
import SansIO

/// Everything in which one system's SDK differs from another's: numbers and choices, no code. A profile is a client
/// policy, a server policy and a dialect.
public struct ClientPolicy: Hashable, Sendable, Codable {
    /// The profile's name; it is also the application that its tokens are for.
    public var profile: String

    /// What the system has at all; a call to anything else is answered with ``Status/unsupported``.
    public var features: ClientFeatures

    // Logging in
    /// A login attempt that has not succeeded by then has failed (NIM 408, RTM-2).
    public var attemptTimeLimit: Interval
    /// When data is fetched after a login (NIM-14, CHAT-12).
    public var sync: SyncTime
    /// Whether a kicked client refuses to log in before it has logged out (RTM-6).
    public var kickedNeedsLogout: Bool
    /// Whether a kicked client logs itself out at once, so that nothing but a new login is left to do (CHAT-10).
    public var kickLogsOut: Bool
    /// The platforms on which a login during an outage takes the place of the login that retries (C-2); elsewhere it is
    /// refused.
    public var loginReplacesRetries: [Platform]
    /// Whether a second login is answered by whom it is for rather than by what is going on (CHAT 200 and 218).
    public var refusesLoginByUser: Bool
    /// Whether a logout of nobody is refused, or succeeds and does nothing.
    public var logoutWithoutLoginFails: Bool
    /// Whether a logout that could not reach the server says so (NIM-10); it is logged out here all the same.
    public var logoutReportsUnreachedServer: Bool
    /// Whether a logout that unbinds push needs the server, and without it leaves the user logged in (CHAT-11).
    public var logoutNeedsServer: Bool
    /// So long the server's answer to a logout is waited for; then it has ended without one.
    public var logoutTimeLimit: Interval

    /// Whether a manual login that fails, for whatever reason, forbids automatic ones (NIM-3), or only what the server
    /// says against the user does (C-11).
    public var failedLoginForbidsAutologin: Bool

    // Tokens
    /// When the app is told that the token will expire (ZIM-6, CHAT-10).
    public var tokenWarning: TokenWarning
    /// Whether an expired token ends the login (ZIM-6) or is only told to the app (RTM-5).
    public var tokenExpiryEndsLogin: Bool
    /// Whether a reconnect that the server refuses ends the login. Otherwise the client goes on reconnecting, and a
    /// refused token counts as one that has expired (RTM-5).
    public var refusalEndsLogin: Bool
    /// A token that is valid for less than this is not begun with offline (ZIM-1).
    public var offlineTokenMin: Interval

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
    /// Whether the first retry after a link that was stable waits, too, instead of following at once (C-9).
    public var firstRetryWaits: Bool
    /// The hosts that an attempt tries, one after the other, as long as they refuse the connection (C-9).
    public var hostCount: Int
    /// How long a broken link stays the SDK's secret (RTM-3).
    public var interruptionGrace: Interval

    // Keeping a link alive
    /// Between two heartbeats, while a login is established (C-12).
    public var heartbeatInterval: Interval
    /// What each heartbeat that is answered adds to the time until the next one; zero for a constant interval.
    public var heartbeatGrowth: Interval
    /// The longest interval that ``heartbeatGrowth`` leads to.
    public var heartbeatIntervalMax: Interval
    /// A heartbeat unanswered for so long means that the link is dead (C-12).
    public var heartbeatAnswerLimit: Interval
    /// Where it is set, a link is dead when nothing has come over it for so long, however long the answer to one
    /// heartbeat takes (RTM-3); zero for ``heartbeatAnswerLimit`` alone.
    public var silenceLimit: Interval

    // Calls
    /// So long the answer to a call is waited for; then it has failed with `timeout`.
    public var requestTimeLimit: Interval
    /// So long a message may take, the wait for a link included; then it has failed with `timeout`.
    public var messageTimeLimit: Interval
    /// A read of the tree waits so long for a link.
    public var readTimeLimit: Interval
    /// Channels that one login may be in; one more is refused.
    public var channelCountMax: Int
    /// Users whose presence may be watched; one more is refused.
    public var watchedCountMax: Int
    /// Attributes of one user or one channel; a larger set is refused.
    public var attributeCountMax: Int
    /// Bytes of one attribute's name; a longer one is no name.
    public var attributeNameBytesMax: Int
    /// Bytes of one attribute's value, of all names and values of a user, and of a channel; a larger set is refused.
    public var attributeValueBytesMax: Int
    /// Bytes of all names and values of a user's attributes; a larger set is refused.
    public var attributeBytesMax: Int
    /// Bytes of all names and values of a channel's attributes; a larger set is refused.
    public var channelAttributeBytesMax: Int
    /// How many frames one answer may take; more end the link.
    public var answerPagesMax: Int
    /// How often calls may be made; the ones beyond are refused (RTM-9).
    public var callRates: [CallRate]
    /// Messages that may wait for the link.
    public var outboxCountMax: Int

    // What the app is told
    /// `onLogin(step)` for each step (NIM-1).
    public var announcesLoginSteps: Bool
    /// The other devices of the account coming and going (NIM-13).
    public var announcesDevices: Bool
    /// Whether an automatic login ends with one word for good and bad, rather than with one for bad only.
    public var announcesAutologinEnd: Bool
    /// The numbers an app may give to a platform of its own (CHAT-5); nil where there are none.
    public var osTypes: ClosedRange<UInt32>?

    /// What is not named is as most systems have it.
    public init(
        profile: String, features: ClientFeatures = [], attemptTimeLimit: Interval = .seconds(10),
        sync: SyncTime = .never, kickedNeedsLogout: Bool = false, kickLogsOut: Bool = false,
        loginReplacesRetries: [Platform] = [], refusesLoginByUser: Bool = false,
        logoutWithoutLoginFails: Bool = false, logoutReportsUnreachedServer: Bool = false,
        logoutNeedsServer: Bool = false, logoutTimeLimit: Interval = .seconds(3),
        failedLoginForbidsAutologin: Bool = false,
        tokenWarning: TokenWarning = .never, tokenExpiryEndsLogin: Bool = false, refusalEndsLogin: Bool = true,
        offlineTokenMin: Interval = .seconds(30), retryDelays: [Interval], retryJitterPerMille: Int64 = 0,
        retryCountMax: Int = 0, stableAfter: Interval = .seconds(2), firstRetryWaits: Bool = false,
        hostCount: Int = 1, interruptionGrace: Interval = .zero,
        heartbeatInterval: Interval = .seconds(30), heartbeatGrowth: Interval = .zero,
        heartbeatIntervalMax: Interval = .zero, heartbeatAnswerLimit: Interval = .seconds(10),
        silenceLimit: Interval = .zero,
        requestTimeLimit: Interval = .seconds(10), messageTimeLimit: Interval = .seconds(10),
        readTimeLimit: Interval = .seconds(3),
        channelCountMax: Int = 20, watchedCountMax: Int = 512, attributeCountMax: Int = 32,
        attributeNameBytesMax: Int = 32, attributeValueBytesMax: Int = 8 << 10, attributeBytesMax: Int = 16 << 10,
        channelAttributeBytesMax: Int = 32 << 10, answerPagesMax: Int = 256, callRates: [CallRate] = [],
        outboxCountMax: Int = 100, announcesLoginSteps: Bool = false,
        announcesDevices: Bool = false, announcesAutologinEnd: Bool = false, osTypes: ClosedRange<UInt32>? = nil
    ) {
        self.profile = profile
        self.features = features
        self.attemptTimeLimit = attemptTimeLimit
        self.sync = sync
        self.kickedNeedsLogout = kickedNeedsLogout
        self.kickLogsOut = kickLogsOut
        self.loginReplacesRetries = loginReplacesRetries
        self.refusesLoginByUser = refusesLoginByUser
        self.logoutWithoutLoginFails = logoutWithoutLoginFails
        self.logoutReportsUnreachedServer = logoutReportsUnreachedServer
        self.logoutNeedsServer = logoutNeedsServer
        self.logoutTimeLimit = logoutTimeLimit
        self.failedLoginForbidsAutologin = failedLoginForbidsAutologin
        self.tokenWarning = tokenWarning
        self.tokenExpiryEndsLogin = tokenExpiryEndsLogin
        self.refusalEndsLogin = refusalEndsLogin
        self.offlineTokenMin = offlineTokenMin
        self.retryDelays = retryDelays
        self.retryJitterPerMille = retryJitterPerMille
        self.retryCountMax = retryCountMax
        self.stableAfter = stableAfter
        self.firstRetryWaits = firstRetryWaits
        self.hostCount = hostCount
        self.interruptionGrace = interruptionGrace
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatGrowth = heartbeatGrowth
        self.heartbeatIntervalMax = heartbeatIntervalMax
        self.heartbeatAnswerLimit = heartbeatAnswerLimit
        self.silenceLimit = silenceLimit
        self.requestTimeLimit = requestTimeLimit
        self.messageTimeLimit = messageTimeLimit
        self.readTimeLimit = readTimeLimit
        self.channelCountMax = channelCountMax
        self.watchedCountMax = watchedCountMax
        self.attributeCountMax = attributeCountMax
        self.attributeNameBytesMax = attributeNameBytesMax
        self.attributeValueBytesMax = attributeValueBytesMax
        self.attributeBytesMax = attributeBytesMax
        self.channelAttributeBytesMax = channelAttributeBytesMax
        self.answerPagesMax = answerPagesMax
        self.callRates = callRates
        self.outboxCountMax = outboxCountMax
        self.announcesLoginSteps = announcesLoginSteps
        self.announcesDevices = announcesDevices
        self.announcesAutologinEnd = announcesAutologinEnd
        self.osTypes = osTypes
    }

    /// The longest time between two heartbeats.
    public var longestHeartbeatInterval: Interval {
        heartbeatGrowth > .zero ? max(heartbeatInterval, heartbeatIntervalMax) : heartbeatInterval
    }

    /// What a set of attributes may hold, of a channel or of a user.
    func attributeBounds(ofChannel isChannel: Bool) -> AttributeBounds {
        AttributeBounds(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}

/// What a system has. Everything else that differs between systems is a number or a choice of the policy.
public struct ClientFeatures: OptionSet, Hashable, Sendable, Codable {
    /// One bit for each feature.
    public let rawValue: UInt32

    /// From the bits of a recording.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Automatic login of the user of last time (NIM-2).
    public static let autologin = ClientFeatures(rawValue: 1 << 0)
    /// Login on local data, without a network (ZIM-1).
    public static let offlineLogin = ClientFeatures(rawValue: 1 << 1)
    /// Ending the login of another device from a login (NIM-12).
    public static let kick = ClientFeatures(rawValue: 1 << 2)
    /// Listing and ending logins with a credential, from outside (CHAT-6).
    public static let accountCalls = ClientFeatures(rawValue: 1 << 3)
    /// Messages to users.
    public static let messages = ClientFeatures(rawValue: 1 << 4)
    /// Messages wait for a broken link to return (RTM-8, ZIM-10).
    public static let messageQueue = ClientFeatures(rawValue: 1 << 5)
    /// A message that failed can be sent again under its id (ZIM-10).
    public static let resend = ClientFeatures(rawValue: 1 << 6)
    /// Channels that are joined and left, and messages to them.
    public static let channels = ClientFeatures(rawValue: 1 << 7)
    /// Attributes of users and channels (RTM-4).
    public static let attributes = ClientFeatures(rawValue: 1 << 8)
    /// Being told of other users' presence.
    public static let presence = ClientFeatures(rawValue: 1 << 9)
    /// Operations that the user's other devices are told of (CHAT-8).
    public static let operations = ClientFeatures(rawValue: 1 << 10)
    /// Login ids of the user's other devices to send to (CHAT-7).
    public static let selfIDs = ClientFeatures(rawValue: 1 << 11)
    /// Messages and the like are kept on the device (C-13).
    public static let localData = ClientFeatures(rawValue: 1 << 12)
    /// The synchronised tree, used without a login (SYNC-1).
    public static let tree = ClientFeatures(rawValue: 1 << 13)
    /// A new token for a login that goes on.
    public static let tokenRenewal = ClientFeatures(rawValue: 1 << 14)
    /// The list of the user's other devices (NIM-13).
    public static let deviceList = ClientFeatures(rawValue: 1 << 15)
    /// Users may log in with a password instead of a token.
    public static let passwords = ClientFeatures(rawValue: 1 << 16)
    /// Calls on local data, which follows the server's (ZIM-9).
    public static let localCalls = ClientFeatures(rawValue: 1 << 17)
    /// An automatic login may take the place of another device (NIM-4).
    public static let forcedAutologin = ClientFeatures(rawValue: 1 << 24)
    /// A login may say what the user wants to be called (ZIM-9).
    public static let loginUserName = ClientFeatures(rawValue: 1 << 25)
}

/// When data is fetched after a login.
public enum SyncTime: UInt8, Hashable, Sendable, Codable {
    case never
    /// The client counts as online only when everything is here (NIM-14).
    case beforeOnline
    /// The client is online at once, and fetches then (CHAT-12).
    case whileOnline
}

/// When an app is told that its token will expire.
public enum TokenWarning: Hashable, Sendable, Codable {
    case never
    case before(Interval)
    /// When so many thousandths of the token's whole life have passed.
    case afterPerMille(Int64)
}

/// What an app may change in its SDK.
public enum ClientOption: Hashable, Sendable, Codable {
    /// NIM's `maxAutoLoginRetryTimes` (NIM-6).
    case retryCountMax(Int)
    /// The app's own waits between retries (NIM-5); none restores the policy's.
    case retryDelays([Interval])
}
