import IMClient
import IMProtocol
import IMServer

/// NetEase NIM V2 (V10): one login call, two statuses, and 417 where another device has taken the place.
public struct NIMV2Dialect: Dialect {
    private let before = NIMDialect()

    /// A dialect has no state.
    public init() {}

    /// `nim@v2`.
    public let profile = "nim@v2"
    /// The name that the vendor gives the product.
    public let title = "NetEase NIM V2"

    /// One login call, with `forceMode` or without, instead of login and automatic login. It is retried three times
    /// (`retryCount`); with the waits of ``NIMDialect`` that is within the vendor's `timeout` of 60 s.
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.features.subtract(.autologin)
        policy.loginRetryCountMax = 3
        return policy
    }

    /// As before.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As before.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// A login without `forceMode` that finds its place taken is refused. In a reconnect `forceMode` counts as false.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        policy.takenPlace = .keepsCurrent
        policy.loginKeepsCurrent = true
        policy.offlineFreesPlace = true
        return policy
    }

    /// Both statuses, failures, kicks, the sync, other devices and messages; nil for all else.
    public func callback(for effect: ClientEffect) -> Callback? {
        guard case .notify(let notification) = effect else { return nil }
        switch notification {
        case .loginStep(let step): return callback(for: step)
        case .autologinFailed(let status):
            return Callback("onLoginFailed", [("error", code(for: status, of: .login).description)])
        case .kicked(let notice):
            return Callback(
                "onKickedOffline",
                [
                    ("reason", reason(notice.reason).description),
                    ("clientType", before.clientType(notice.by?.platform ?? .unknown).description),
                ])
        case .devicesChanged(_, let devices):
            return Callback("onLoginClientChanged", [("clients", deviceList(devices))])
        case .messageReceived(let message):
            return Callback("onReceiveMessages", [("from", message.from), ("text", message.text)])
        default: return nil
        }
    }

    private func callback(for step: LoginStep) -> Callback? {
        switch step {
        case .linking: connect(2)
        case .linkOK: connect(1)
        case .linkFailed: Callback("onConnectFailed")
        case .authenticating: login(2)
        case .loginOK: login(1)
        case .loginFailed: login(0)
        case .syncing: Callback("onDataSync", [("state", "2")])
        case .syncOK: Callback("onDataSync", [("state", "3")])
        case .connectionLost: Callback("onDisconnected")
        case .networkChanged: nil
        }
    }

    private func login(_ number: Int) -> Callback {
        Callback("onLoginStatus", [("status", Self.loginStatuses[number].description)])
    }

    private func connect(_ number: Int) -> Callback {
        Callback("onConnectStatus", [("status", Self.connectStatuses[number].description)])
    }

    private static let loginStatuses = [Code(0, "LOGOUT"), Code(1, "LOGINED"), Code(2, "LOGINING")]
    private static let connectStatuses = [Code(0, "DISCONNECTED"), Code(1, "CONNECTED"), Code(2, "CONNECTING")]

    private func reason(_ reason: KickReason) -> Code {
        switch reason {
        case .otherLogin: Code(1, "CLIENT_EXCLUSIVE")
        case .server, .banned, .accountRemoved, .passwordChanged: Code(2, "SERVER")
        case .otherDevice: Code(3, "CLIENT")
        }
    }

    /// A `V2NIMErrorCode` of V2NIMError.h; every call has the same.
    public func code(for status: Status, of call: CallKind) -> Code {
        let (number, name) = Self.code(for: status)
        return Code(number, "V2NIM_ERROR_CODE_\(name)")
    }

    private static func code(for status: Status) -> (number: Int, name: String) {
        switch status {
        case .ok, .stored: (200, "SUCCESS")
        case .forbidden: (403, "FORBIDDEN")
        case .notFound: (404, "NOT_FOUND")
        case .rateLimited, .channelRateLimited: (416, "FREQUNENCY_LIMIT")
        // At the limit of devices, too.
        case .loggedInElsewhere, .deviceChanged, .tooManyDevices: (417, "MULTI_LOGIN_FORBIDDEN")
        case .serverError: (500, "SERVER_INTERNAL_ERROR")
        case .protocolViolation: (998, "UNPACK_ERROR")
        case .wrongCredential, .passwordChanged, .credentialExpired, .credentialTooShort: (102_302, "INVALID_TOKEN")
        case .accountRemoved: (102_404, "ACCOUNT_NOT_EXIST")
        case .banned: (102_422, "ACCOUNT_BLOCKED")
        case .accountLimit: (102_434, "ACCOUNT_COUNT_LIMIT")
        case .groupNotFound: (108_404, "TEAM_NOT_EXIST")
        case .memberNotFound: (109_404, "TEAM_MEMBER_NOT_EXIST")
        case .alreadyJoined: (109_311, "TEAM_MEMBER_ALREADY_EXIST")
        case .conversationNotFound: (110_404, "CONVERSATION_NOT_EXIST")
        case .notLoggedIn, .autologinNotAllowed, .offlineLoginNotAllowed, .loginInProgress, .alreadyLoggedIn,
            .otherUserLoggedIn:
            (190_002, "ILLEGAL_STATE")
        case .unsupported, .tooLate: (191_001, "MISUSE")
        case .cancelled, .kicked, .replacedByLogin, .dataUnavailable, .transactionStale, .transactionRetries,
            .transactionOverridden:
            (191_002, "CANCELLED")
        case .invalidArgument, .textTooLong, .limitExceeded, .requestTooLarge, .valueTooLarge:
            (191_004, "INVALID_PARAMETER")
        case .timeout: (191_005, "TIMEOUT")
        case .connectionFailed, .networkUnavailable, .retryLimitReached: (192_001, "CONNECT_FAILED")
        }
    }

    /// Always nil, as before.
    public func name(of state: ClientState) -> String? { nil }

    /// The callbacks that ``callback(for:)`` can give.
    public var callbacks: [CallbackShape] {
        [
            CallbackShape("onLoginStatus", [("status", Self.loginStatuses.map(\.description))]),
            CallbackShape("onConnectStatus", [("status", Self.connectStatuses.map(\.description))]),
            CallbackShape("onConnectFailed", []), CallbackShape("onDisconnected", []),
            CallbackShape("onLoginFailed", [("error", [])]),
            CallbackShape(
                "onKickedOffline",
                [
                    ("reason", [.otherLogin, .server, .otherDevice].map { reason($0).description }),
                    ("clientType", Platform.allCases.map { before.clientType($0).description }),
                ]),
            CallbackShape("onDataSync", [("state", [])]), CallbackShape("onLoginClientChanged", [("clients", [])]),
            CallbackShape("onReceiveMessages", [("from", []), ("text", [])]),
        ]
    }
}
