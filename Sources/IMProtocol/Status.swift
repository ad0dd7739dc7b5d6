/// The outcome of a request, independent of the vendor. Each dialect maps it to a code of its vendor, because the
/// vendors use different numbers.
///
/// Frames only contain the statuses that a server sets. A client sets the other statuses itself.
public enum Status: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case ok = 0

    // Set by the server.
    /// The account does not exist, or the credential is wrong.
    case wrongCredential = 1
    case credentialExpired = 2
    case banned = 3
    /// An automatic login was refused, because the user logged in on another device meanwhile (NIM-4).
    case loggedInElsewhere = 4
    /// Too many requests (NIM-8, RTM-9).
    case rateLimited = 5
    case invalidArgument = 6
    case notLoggedIn = 7
    /// The user has no permission to change this group or another user's message. The operator can also set this status
    /// for an account.
    case forbidden = 8
    /// The user, device, channel or key does not exist.
    case notFound = 9
    /// The account is logged in on the maximum number of devices, and the policy does not kick one of them (CHAT-3).
    case tooManyDevices = 10
    /// The client is already a member of the channel, or has a pending request to join it.
    case alreadyJoined = 11
    /// A limit of the policy is reached.
    case limitExceeded = 12
    /// An error in the server. The server sets this status only if the operator chose it for the account.
    case serverError = 13
    /// The vendor's system does not have this call.
    case unsupported = 14
    /// The message was stored, because its receiver is not connected.
    case stored = 15
    /// An automatic login was refused, because the only device that the account may use is now another one (CHAT-3).
    case deviceChanged = 16
    /// Too many requests for the same channel (RTM-9).
    case channelRateLimited = 17
    /// The text of the message is too long.
    case textTooLong = 18
    /// The request as a whole is too large.
    case requestTooLarge = 23
    /// One value in the request is too large.
    case valueTooLarge = 24
    /// The server accepts no more accounts.
    case accountLimit = 20
    /// A transaction depends on a value that has changed meanwhile (SYNC-7).
    case transactionStale = 25
    /// The group does not exist (ZIM-9).
    case groupNotFound = 26
    case memberNotFound = 27
    case conversationNotFound = 28

    // Set by the client.
    /// The server did not answer within the time limit.
    case timeout = 32
    /// The connection could not be opened, or broke.
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
    /// A later command, or the end of the client, cancelled the request.
    case cancelled = 40
    /// The login was ended by a kick.
    case kicked = 41
    /// The peer sent a frame that the protocol does not allow.
    case protocolViolation = 42
    /// An offline login was refused, because the credential expires too soon (ZIM-1).
    case credentialTooShort = 43
    /// An offline login was refused, because the user is not the user of the last online login (ZIM-1).
    case offlineLoginNotAllowed = 44
    /// A login on another device ended this login.
    case replacedByLogin = 45
    /// The login was ended, because the account was removed.
    case accountRemoved = 46
    case passwordChanged = 47
    /// The local data cannot be used, because its store is damaged, locked or full.
    case dataUnavailable = 48
    /// A transaction was repeated the maximum number of times, because the value changed each time.
    case transactionRetries = 49
    /// The app overwrote the value while a transaction was running.
    case transactionOverridden = 50
    /// The command is only allowed before the first use of the tree (SYNC-2).
    case tooLate = 51
    /// A function of the app that the SDK called failed, such as the `tokenProvider` of NIM V2.
    case callbackFailed = 52

    /// True if a login with this status must not be retried, because the server would refuse it again (C-11, NIM-7).
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

    /// The name of the status in recordings and JSON.
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
    /// The status of calls that a kick ends. It corresponds to the reason in the kick's callback.
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
