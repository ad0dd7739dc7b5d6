/// The outcome of a request, independent of the vendor. Each dialect maps it to its vendor's code, because the same
/// number means different things in different systems.
///
/// The wire carries the statuses that a server can return; the others are set by a client itself.
public enum Status: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case ok = 0

    // Set by the server.
    /// Account or credential wrong.
    case wrongCredential = 1
    case credentialExpired = 2
    case banned = 3
    /// An automatic login was refused because the account was used on another device since (NIM-4).
    case loggedInElsewhere = 4
    /// Too many requests (NIM-8, RTM-9).
    case rateLimited = 5
    case invalidArgument = 6
    case notLoggedIn = 7
    /// The user has no right to do this to another user's message or to a group; or the operator has set this status
    /// for the account.
    case forbidden = 8
    /// The named user, device, channel or key does not exist.
    case notFound = 9
    /// There is no slot for the device, and none is freed for it (CHAT-3).
    case tooManyDevices = 10
    /// The client is in the channel, or has a pending request for it.
    case alreadyJoined = 11
    /// A limit of the policy is reached.
    case limitExceeded = 12
    /// The operator has set this status for the account; this project's server never sets it itself.
    case serverError = 13
    /// The system does not have this call.
    case unsupported = 14
    /// Stored for a user who is not connected now.
    case stored = 15
    /// An automatic login found its only slot taken by another device and was refused (CHAT-3).
    case deviceChanged = 16
    /// Too many requests for the same channel (RTM-9).
    case channelRateLimited = 17
    /// A text is longer than a message's text may be.
    case textTooLong = 18
    /// The request as a whole is too large.
    case requestTooLarge = 23
    /// One value in the request is too large.
    case valueTooLarge = 24
    /// The server accepts no more accounts.
    case accountLimit = 20
    /// A transaction was based on a value that is no longer current (SYNC-7).
    case transactionStale = 25
    /// The group, the member of a group, or the conversation does not exist (ZIM-9).
    case groupNotFound = 26
    case memberNotFound = 27
    case conversationNotFound = 28

    // Set by the client.
    /// No answer within the time limit.
    case timeout = 32
    /// The connection could not be made, or broke.
    case connectionFailed = 33
    /// A call that needs the network was made without one.
    case networkUnavailable = 34
    /// A login is already in progress (C-2).
    case loginInProgress = 35
    /// This user is already logged in on this client.
    case alreadyLoggedIn = 36
    /// Another user is logged in on this client.
    case otherUserLoggedIn = 37
    /// An automatic login is not allowed now (NIM-3).
    case autologinNotAllowed = 38
    /// The automatic retries are used up (NIM-6).
    case retryLimitReached = 39
    /// A later command, or the end of the client, cancelled it.
    case cancelled = 40
    /// The login was ended by a kick.
    case kicked = 41
    /// The peer sent a frame that the protocol does not allow.
    case protocolViolation = 42
    /// The credential expires too soon for an offline login (ZIM-1).
    case credentialTooShort = 43
    /// An offline login is only for the user of the last online login (ZIM-1).
    case offlineLoginNotAllowed = 44
    /// A login of another device ended this one.
    case replacedByLogin = 45
    /// The login was ended because its account was removed, or its password changed.
    case accountRemoved = 46
    case passwordChanged = 47
    /// The store of local data is damaged, locked or full.
    case dataUnavailable = 48
    /// A transaction was overtaken by newer values too often.
    case transactionRetries = 49
    /// The app itself overwrote the value of a transaction.
    case transactionOverridden = 50
    /// The command is only allowed before the first use of the tree (SYNC-2).
    case tooLate = 51
    /// A function of the app that the SDK calls, such as NIM V2's `tokenProvider`, failed.
    case callbackFailed = 52

    /// True if the server refused the login for good, so that a retry is pointless (C-11, NIM-7).
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
            .transactionOverridden, .tooLate, .callbackFailed:
            false
        }
    }

    /// Its name in recordings and JSON.
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
        case .callbackFailed: "callback-failed"
        }
    }
}

extension KickReason {
    /// The status of calls that the kick ends, so that the app gets the same reason in both ways.
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
