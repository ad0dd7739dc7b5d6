/// How a request ended, in words of our own. Each dialect has its vendor's code for each of them, because the same
/// number means different things in different systems.
///
/// The wire carries those that a server can find; the rest are found by a client itself.
public enum Status: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case ok = 0

    // Found by the server.
    /// Account or credential wrong.
    case wrongCredential = 1
    case credentialExpired = 2
    case banned = 3
    /// An automatic login was refused because the account was used on another device since (NIM-4).
    case loggedInElsewhere = 4
    /// Asked for too often (NIM-8, RTM-9).
    case rateLimited = 5
    case invalidArgument = 6
    case notLoggedIn = 7
    /// What the user may not do, to another's message or to a group; or the operator has the account's calls answered so.
    case forbidden = 8
    /// What was named is not there: a user, a device, a channel, a key.
    case notFound = 9
    /// There is no place for the device, and none is made for it (CHAT-3).
    case tooManyDevices = 10
    /// The client is in the channel, or has asked for something about it.
    case alreadyJoined = 11
    /// One of the policy's bounds is reached.
    case limitExceeded = 12
    /// The operator has the account's calls answered so; this project's server never finds it itself.
    case serverError = 13
    /// The system has no such call.
    case unsupported = 14
    /// Taken in for a user who is not there now.
    case stored = 15
    /// An automatic login found its place taken by a single other device and was told to keep out (CHAT-3).
    case deviceChanged = 16
    /// The same channel is asked for too often (RTM-9).
    case channelRateLimited = 17
    /// A text longer than a message's may be.
    case textTooLong = 18
    /// A request as a whole is larger than it may be.
    case requestTooLarge = 23
    /// One value in it is.
    case valueTooLarge = 24
    /// The server takes no more accounts.
    case accountLimit = 20
    /// A transaction was run on something else than what stands there (SYNC-7).
    case transactionStale = 25
    /// There is no such group, no such member of one, or no such conversation (ZIM-9).
    case groupNotFound = 26
    case memberNotFound = 27
    case conversationNotFound = 28

    // Found by the client.
    /// No answer within the time limit.
    case timeout = 32
    /// The link could not be made, or broke.
    case connectionFailed = 33
    /// A call that needs the network was made while there is none.
    case networkUnavailable = 34
    /// A login is already running (C-2).
    case loginInProgress = 35
    /// This user is already logged in here.
    case alreadyLoggedIn = 36
    /// Another user is logged in here.
    case otherUserLoggedIn = 37
    /// An automatic login is not allowed now (NIM-3).
    case autologinNotAllowed = 38
    /// The automatic retries are used up (NIM-6).
    case retryLimitReached = 39
    /// A later command, or the end of the client, made it void.
    case cancelled = 40
    /// The login was ended by a kick.
    case kicked = 41
    /// The peer said something that the protocol does not allow.
    case protocolViolation = 42
    /// The credential will expire too soon to begin with it (ZIM-1).
    case credentialTooShort = 43
    /// An offline login is only for the user of the last login that went online (ZIM-1).
    case offlineLoginNotAllowed = 44
    /// Another device logged in, and the login was ended by that.
    case replacedByLogin = 45
    /// The login was ended because its account was removed, or its password changed.
    case accountRemoved = 46
    case passwordChanged = 47
    /// The store of local data is damaged, locked or full.
    case dataUnavailable = 48
    /// A transaction met something newer too often.
    case transactionRetries = 49
    /// The app itself put something in the place of a transaction.
    case transactionOverridden = 50
    /// What has to be said first was said after something else (SYNC-2).
    case tooLate = 51

    /// Whether the server said that this login will not do, so that trying it again is pointless (C-11, NIM-7).
    public var isFatalForLogin: Bool {
        switch self {
        case .wrongCredential, .credentialExpired, .banned, .loggedInElsewhere, .forbidden, .invalidArgument,
            .unsupported, .tooManyDevices, .deviceChanged, .accountLimit, .credentialTooShort, .offlineLoginNotAllowed:
            true
        case .requestTooLarge, .valueTooLarge, .ok, .rateLimited, .notLoggedIn, .notFound, .alreadyJoined,
            .limitExceeded, .serverError, .stored, .groupNotFound, .memberNotFound, .conversationNotFound,
            .timeout, .connectionFailed, .networkUnavailable, .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn,
            .autologinNotAllowed, .retryLimitReached, .cancelled, .kicked, .protocolViolation, .channelRateLimited,
            .textTooLong, .replacedByLogin, .accountRemoved, .passwordChanged, .dataUnavailable, .transactionStale,
            .transactionRetries,
            .transactionOverridden, .tooLate:
            false
        }
    }

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .ok: "ok"
        case .wrongCredential: "wrong-credential"
        case .credentialExpired: "credential-expired"
        case .banned: "banned"
        case .loggedInElsewhere: "logged-in-elsewhere"
        case .rateLimited: "rate-limited"
        case .invalidArgument: "invalid-argument"
        case .notLoggedIn: "not-logged-in"
        case .forbidden: "forbidden"
        case .notFound: "not-found"
        case .groupNotFound: "group-not-found"
        case .memberNotFound: "member-not-found"
        case .conversationNotFound: "conversation-not-found"
        case .tooManyDevices: "too-many-devices"
        case .alreadyJoined: "already-joined"
        case .limitExceeded: "limit-exceeded"
        case .serverError: "server-error"
        case .unsupported: "unsupported"
        case .stored: "stored"
        case .timeout: "timeout"
        case .connectionFailed: "connection-failed"
        case .networkUnavailable: "network-unavailable"
        case .loginInProgress: "login-in-progress"
        case .alreadyLoggedIn: "already-logged-in"
        case .otherUserLoggedIn: "other-user-logged-in"
        case .autologinNotAllowed: "autologin-not-allowed"
        case .retryLimitReached: "retry-limit-reached"
        case .cancelled: "cancelled"
        case .kicked: "kicked"
        case .protocolViolation: "protocol-violation"
        case .deviceChanged: "device-changed"
        case .channelRateLimited: "channel-rate-limited"
        case .textTooLong: "text-too-long"
        case .accountLimit: "account-limit"
        case .credentialTooShort: "credential-too-short"
        case .requestTooLarge: "request-too-large"
        case .valueTooLarge: "value-too-large"
        case .offlineLoginNotAllowed: "offline-login-not-allowed"
        case .replacedByLogin: "replaced-by-login"
        case .accountRemoved: "account-removed"
        case .passwordChanged: "password-changed"
        case .dataUnavailable: "data-unavailable"
        case .transactionStale: "transaction-stale"
        case .transactionRetries: "transaction-retries"
        case .transactionOverridden: "transaction-overridden"
        case .tooLate: "too-late"
        }
    }
}

extension KickReason {
    /// How the calls end that the kick ends: an app that is told in two ways is told the same.
    public var status: Status {
        switch self {
        case .otherLogin: .replacedByLogin
        case .server, .otherDevice: .kicked
        case .banned: .banned
        case .accountRemoved: .accountRemoved
        case .passwordChanged: .passwordChanged
        }
    }
}
