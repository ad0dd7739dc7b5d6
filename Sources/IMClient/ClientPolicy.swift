import IMLocalData
import IMProtocol
import SansIO

/// The behaviour in which the SDKs of two systems differ, as numbers and choices without code. A profile consists of a
/// client policy, a server policy and a dialect.
public struct ClientPolicy: Hashable, Sendable, Codable {
    /// The profile's name. Login requests contain it as the name of the application.
    public var profile: String

    /// The features of the SDK. A command that uses any other feature completes with ``Status/unsupported``.
    public var features: ClientFeatures = []

    // Logging in
    /// The time limit of a login attempt, after which the attempt fails (NIM 408, RTM-2).
    public var attemptTimeLimit = Interval.seconds(10)
    /// Whether the client syncs before or after it is online (NIM-14, CHAT-12).
    public var sync = SyncTime.never
    /// True if a kicked client refuses a login until the app has logged out (RTM-6).
    public var kickedNeedsLogout = false
    /// True if a kicked client logs itself out at once. Otherwise its state is kicked until the next login (CHAT-10).
    public var kickLogsOut = false
    /// The platforms on which a new login call during an outage replaces the login that is retried. On all others the
    /// new call is refused (C-2).
    public var loginReplacesRetries: [Platform] = []
    /// True if the status for a second login call depends only on its user: `alreadyLoggedIn` for the same user,
    /// `otherUserLoggedIn` for another user (Agora Chat's 200 and 218). False if the status during the first attempt is
    /// `loginInProgress`.
    public var refusesLoginByUser = false
    /// True if a logout without a login is refused. False if it succeeds and does nothing.
    public var logoutWithoutLoginFails = false
    /// True if a logout that does not reach the server completes with a failure (NIM-10). The client is logged out even
    /// so.
    public var logoutReportsUnreachedServer = false
    /// True if a logout that unbinds push requires the server. If the server is not reached, the user stays logged in
    /// (CHAT-11).
    public var logoutNeedsServer = false
    /// How long a logout waits for the server's answer before it ends without an answer.
    public var logoutTimeLimit = Interval.seconds(3)

    /// True if every failed manual login forbids automatic logins (NIM-3). False if only the server's refusal of the
    /// user forbids them (C-11).
    public var failedLoginForbidsAutologin = false

    // Tokens
    /// The time of the notification that the token will expire (ZIM-6, CHAT-10).
    public var tokenWarning = TokenWarning.never
    /// True if an expired token ends the login (ZIM-6). False if the app is only notified (RTM-5).
    public var tokenExpiryEndsLogin = false
    /// True if a reconnect that the server refuses ends the login. False if the client continues to reconnect, and a
    /// refused token counts as expired (RTM-5).
    public var refusalEndsLogin = true
    /// The minimum remaining lifetime of a token for an offline login (ZIM-1).
    public var offlineTokenMin = Interval.seconds(30)

    // A policy is stored in each recording. Properties that were added later are optional, because nil is not stored:
    // recordings of systems that do not use the property stay byte for byte the same.

    /// The app's function that returns a token for each attempt (NIM V2's `tokenProvider`). Nil if all attempts use the
    /// token of the login call.
    public var tokenProvider: TokenProvider?

    // Reconnecting
    /// The delays before the retries. Later retries use the last delay (NIM-5, C-9).
    public var retryDelays: [Interval]
    /// The maximum jitter that is added to a delay, in thousandths of the delay.
    public var retryJitterPerMille: Int64 = 0
    /// The maximum number of failed retries, after which the SDK ends the login; 0 for no limit (NIM-6).
    public var retryCountMax = 0
    /// The maximum number of retries of a manual login that the server has not accepted yet (NIM V2's `retryCount`).
    /// Nil if such a login is not retried.
    public var loginRetryCountMax: Int?
    /// The time limit of a manual login with all its retries (NIM V2's `timeout`); nil for no limit.
    public var loginTimeLimit: Interval?
    /// The behaviour of the SDK in a long outage (RTM 2); nil if a long outage is not treated differently.
    public var suspension: Suspension?
    /// A connection that lasts at least this long after the login is stable. If a stable connection breaks, the client
    /// reconnects at once. If another connection breaks, the client waits as after a failed attempt, because the server
    /// may accept and drop every connection.
    public var stableAfter = Interval.seconds(2)
    /// True if the client also waits before the first retry after a stable connection (C-9).
    public var firstRetryWaits = false
    /// The number of hosts that an attempt tries, one after the other, as long as they refuse the connection (C-9).
    public var hostCount = 1
    /// How long the SDK hides a broken connection from the app (RTM-3).
    public var interruptionGrace = Interval.zero

    // Keeping a connection alive
    /// The time between two heartbeats while a login is established (C-12).
    public var heartbeatInterval = Interval.seconds(30)
    /// The time by which the interval grows after each answered heartbeat; zero for a constant interval.
    public var heartbeatGrowth = Interval.zero
    /// The maximum interval that ``heartbeatGrowth`` can reach.
    public var heartbeatIntervalMax = Interval.zero
    /// How long the client waits for the answer to a heartbeat before it ends the connection (C-12).
    public var heartbeatAnswerLimit = Interval.seconds(10)
    /// How long the client waits for any frame before it ends the connection (RTM-3). If this limit is set,
    /// ``heartbeatAnswerLimit`` is not used. Zero for no limit.
    public var silenceLimit = Interval.zero

    // Calls
    /// How long a call waits for the server's answer before it fails with `timeout`.
    public var requestTimeLimit = Interval.seconds(10)
    /// How long a message may take, including the wait for a connection, before it fails with `timeout`.
    public var messageTimeLimit = Interval.seconds(10)
    /// How long a read of the tree waits for a connection.
    public var readTimeLimit = Interval.seconds(3)
    /// The maximum number of channels that a login may join. A join beyond it is refused.
    public var channelCountMax = 20
    /// The maximum number of users whose presence the app may watch. A watch beyond it is refused.
    public var watchedCountMax = 512
    /// The maximum number of attributes of a user or a channel. A larger set is refused.
    public var attributeCountMax = 32
    /// The maximum length of an attribute's name, in bytes. A longer name is refused as invalid.
    public var attributeNameBytesMax = 32
    /// The maximum length of an attribute's value, in bytes. A set with a longer value is refused.
    public var attributeValueBytesMax = 8 << 10
    /// The maximum total length of the names and values of a user's attributes, in bytes. A larger set is refused.
    public var attributeBytesMax = 16 << 10
    /// The maximum total length of the names and values of a channel's attributes, in bytes. A larger set is refused.
    public var channelAttributeBytesMax = 32 << 10
    /// The maximum number of frames of an answer. A longer answer is a protocol violation and ends the connection.
    public var answerPagesMax = 256
    /// The rate limits of calls. A call beyond its limit is refused (RTM-9).
    public var callRates: [CallRate] = []
    /// The maximum number of messages that wait for the connection or for the server's answer.
    public var outboxCountMax = 100
    /// The calls on local data that this version of the SDK has removed; nil for none.
    public var removedCalls: [LocalCall]?

    // Notifications of the app
    /// True if the app is notified of each step of a login, as with `onLogin(step)` (NIM-1).
    public var announcesLoginSteps = false
    /// True if the app is notified when other devices of the account log in or out (NIM-13).
    public var announcesDevices = false
    /// True if an automatic login reports success and failure in one callback. False if it reports only failure.
    public var announcesAutologinEnd = false
    /// The definition of the connection whose state the app is notified of (NIM V2, RTM 2). Nil if the app is not
    /// notified.
    public var linkScope: LinkScope?
    /// True if the app is notified of the end of a login before the login ends (Chat 5, NIM V2). Nil if the
    /// notification comes after the end.
    public var announcesEndFirst: Bool?
    /// True if the local data of the last user opens when a login starts, and the app is notified when the data is open
    /// (Chat 5). Nil if the data opens when the login succeeds.
    public var opensDataAtLogin: Bool?
    /// True if a browser gets a separate notification when a login on the same device, such as another tab, ends its
    /// login (NIM V2). Nil if the notification is the same as for a login on another device.
    public var announcesOwnDevice: Bool?
    /// The numbers that an app may give to its own platforms (CHAT-5); nil if the system has no such numbers.
    public var osTypes: ClosedRange<UInt32>?

    /// A policy with the values of most systems. The caller changes the properties in which a system differs.
    public init(profile: String, retryDelays: [Interval]) {
        self.profile = profile
        self.retryDelays = retryDelays
    }

    /// The longest time between two heartbeats, including the growth of the interval.
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

/// The features of an SDK. All other differences between SDKs are numbers or choices in ``ClientPolicy``.
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
    /// Messages that are sent during a reconnect, and wait until the client is connected (RTM-8, ZIM-10).
    public static let messageQueue = ClientFeatures(rawValue: 1 << 5)
    /// Sending a failed message again under its id (ZIM-10).
    public static let resend = ClientFeatures(rawValue: 1 << 6)
    /// Channels that are joined and left, and messages to them.
    public static let channels = ClientFeatures(rawValue: 1 << 7)
    /// Attributes of users and channels (RTM-4).
    public static let attributes = ClientFeatures(rawValue: 1 << 8)
    /// Notifications of other users' presence.
    public static let presence = ClientFeatures(rawValue: 1 << 9)
    /// Operations that are sent to the user's other devices (CHAT-8).
    public static let operations = ClientFeatures(rawValue: 1 << 10)
    /// Messages to a single device of the user, by its login id (CHAT-7).
    public static let selfIDs = ClientFeatures(rawValue: 1 << 11)
    /// Messages, groups and notifications that are stored on the device (C-13).
    public static let localData = ClientFeatures(rawValue: 1 << 12)
    /// The synchronised tree, used without a login (SYNC-1).
    public static let tree = ClientFeatures(rawValue: 1 << 13)
    /// Replacing the token of the current login by a new token.
    public static let tokenRenewal = ClientFeatures(rawValue: 1 << 14)
    /// The list of the user's other devices (NIM-13).
    public static let deviceList = ClientFeatures(rawValue: 1 << 15)
    /// Logging in with a password instead of a token.
    public static let passwords = ClientFeatures(rawValue: 1 << 16)
    /// Calls on local data, which is synchronised with the user's data on the server (ZIM-9).
    public static let localCalls = ClientFeatures(rawValue: 1 << 17)
    /// An automatic login that may kick another device (NIM-4). In an SDK without ``autologin``, a manual login that
    /// may kick another device (NIM V2's `forceMode`).
    public static let forcedAutologin = ClientFeatures(rawValue: 1 << 24)
    /// A login call with an option that sets the user's display name (ZIM-9).
    public static let loginUserName = ClientFeatures(rawValue: 1 << 25)
}

/// The behaviour of the app's token provider, a function that the SDK calls in each attempt before it sends the login
/// (NIM-15).
public enum TokenProvider: String, Hashable, Sendable, Codable, CaseIterable {
    /// The function returns a new token.
    case fresh
    /// The function fails, which ends the attempt.
    case fails
}

/// The order of the sync and the state online after a login.
public enum SyncTime: UInt8, Hashable, Sendable, Codable {
    /// The client does not sync.
    case never
    /// The client syncs first, and is then online (NIM-14).
    case beforeOnline
    /// The client is online at once, and syncs while it is online (CHAT-12).
    case whileOnline
}

/// The time at which an app is notified that its token will expire.
public enum TokenWarning: Hashable, Sendable, Codable {
    case never
    /// The app is notified this interval before the token expires.
    case before(Interval)
    /// The app is notified after this many thousandths of the token's lifetime.
    case afterPerMille(Int64)
}

/// The options that an app may set in its SDK.
public enum ClientOption: Hashable, Sendable, Codable {
    /// The maximum number of failed retries, as NIM's `maxAutoLoginRetryTimes`; 0 for no limit (NIM-6).
    case retryCountMax(Int)
    /// The app's own delays before retries (NIM-5). An empty list restores the delays of the policy.
    case retryDelays([Interval])
}
