import IMClient
import IMProtocol
import IMServer

/// NetEase NIM V2 (V10): one login call, two statuses, and 417 if another device has taken the slot.
public struct NIMV2Dialect: Dialect {
    private let before = NIMDialect()

    /// A dialect has no state.
    public init() {}

    /// `nim@v2`.
    public let profile = "nim@v2"
    /// The name that the vendor gives the product.
    public let title = "NetEase NIM V2"

    /// One login call, with or without `forceMode`, instead of login and autologin. It is retried three times
    /// (`retryCount`) within 60 s in total (`timeout`, V2NIMLoginOption). The app is notified of the end of a login
    /// before the login ends: `onKickedOffline`, then LOGOUT and DISCONNECTED.
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.features.subtract(.autologin)
        policy.loginRetryCountMax = 3
        policy.loginTimeLimit = .seconds(60)
        policy.linkScope = .connection
        policy.announcesEndFirst = true
        policy.announcesOwnDevice = true
        return policy
    }

    /// As in V1.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As in V1.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// A login without `forceMode` is refused if its slot is taken. In a reconnect `forceMode` counts as false.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        policy.takenPlace = .keepsCurrent
        policy.loginKeepsCurrent = true
        policy.offlineFreesPlace = true
        return policy
    }

    /// Both statuses, failures, kicks, the sync, other devices, messages and data; otherwise nil.
    public func callback(for effect: ClientEffect) -> Callback? {
        if case .transition(let change) = effect {
            let status = Self.loginStatuses[loginStatus(change.to)]
            guard loginStatus(change.from) != status.number else { return nil }
            return Callback("onLoginStatus", [("status", status.description)])
        }
        guard case .notify(let notification) = effect else { return nil }
        switch notification {
        case .loginStep(let step): return callback(for: step)
        case .linkChanged(let change):
            return connectStatus(change.to).map { Callback("onConnectStatus", [("status", $0.description)]) }
        case .autologinFailed(let status):
            return Callback("onLoginFailed", [("error", code(for: status, of: .login).description)])
        case .kicked(let notice): return kicked(notice, reason(notice.reason))
        case .replaced(let notice): return kicked(notice, Self.quietly)
        case .devicesChanged(_, let devices):
            return Callback("onLoginClientChanged", [("clients", deviceList(devices))])
        case .messageReceived(let message):
            return Callback("onReceiveMessages", [("from", message.from), ("text", message.text)])
        case .dataChanged(let kind, let name): return callback(for: kind, name)
        default: return nil
        }
    }

    private func callback(for step: LoginStep) -> Callback? {
        switch step {
        case .linkFailed: Callback("onConnectFailed")
        case .connectionLost: Callback("onDisconnected")
        case .syncing: Callback("onDataSync", [("state", "2")])
        case .syncOK: Callback("onDataSync", [("state", "3")])
        case .linking, .linkOK, .authenticating, .loginOK, .loginFailed, .networkChanged: nil
        }
    }

    /// A `V2NIMLoginStatus`.
    private func loginStatus(_ state: ClientState) -> Int {
        switch state {
        case .loggedOut, .offline, .kicked, .tokenExpired: 0
        case .syncing, .online: 1
        case .connecting, .reconnecting: 2
        }
    }

    /// A `V2NIMConnectStatus`. A break goes through CONNECTED, DISCONNECTED, WAITING, CONNECTING, CONNECTED.
    private func connectStatus(_ state: LinkState) -> Code? {
        switch state {
        case .disconnected: Self.connectStatuses[0]
        case .connected: Self.connectStatuses[1]
        case .connecting: Self.connectStatuses[2]
        case .waiting: Self.connectStatuses[3]
        case .idle, .suspended, .failed: nil
        }
    }

    private static let loginStatuses = [Code(0, "LOGOUT"), Code(1, "LOGINED"), Code(2, "LOGINING")]
    private static let connectStatuses = [
        Code(0, "DISCONNECTED"), Code(1, "CONNECTED"), Code(2, "CONNECTING"), Code(3, "WAITING"),
    ]

    /// The listeners of V2NIMMessageService, V2NIMConversationService, V2NIMUserService, V2NIMFriendService and
    /// V2NIMTeamService. `onBlockListAdded` and `onBlockListRemoved` are not distinguished here.
    private func callback(for kind: ChangeKind, _ name: String) -> Callback? {
        switch kind {
        case .message, .conversation, .readElsewhere: Callback("onConversationChanged", [("conversation", name)])
        case .conversationRemoved: Callback("onConversationDeleted", [("conversation", name)])
        case .conversationEmptied: Callback("onClearHistoryNotifications", [("conversation", name)])
        case .messageRevoked: Callback("onMessageRevokeNotifications", [("messageId", name)])
        case .messageRemoved: Callback("onMessageDeletedNotifications", [("messageId", name)])
        case .read: Callback("onReceiveP2PMessageReadReceipts", [("from", name)])
        case .user: Callback("onUserProfileChanged", [("user", name)])
        case .friend: Callback("onFriendInfoChanged", [("user", name)])
        case .friendRemoved: Callback("onFriendDeleted", [("user", name)])
        case .friendApplication: Callback("onFriendAddApplication", [("user", name)])
        case .groupApplication: Callback("onReceiveTeamJoinActionInfo", [("team", name)])
        case .group: Callback("onTeamInfoUpdated", [("team", name)])
        case .groupRemoved: Callback("onTeamLeft", [("team", name)])
        case .member: Callback("onTeamMemberInfoUpdated", [("team", name)])
        case .memberRemoved: Callback("onTeamMemberLeft", [("team", name)])
        case .blacklist, .reaction, .call, .downloaded, .delivered, .conversationRead: nil
        }
    }

    private func kicked(_ notice: KickNotice, _ reason: Code) -> Callback {
        Callback(
            "onKickedOffline",
            [
                ("reason", reason.description),
                ("clientType", before.clientType(notice.by?.platform ?? .unknown).description),
            ])
    }

    /// The reason for a login of the same account in another tab of the browser.
    private static let quietly = Code(4, "CLIENT_QUIETLY")

    private func reason(_ reason: KickReason) -> Code {
        switch reason {
        case .otherLogin: Code(1, "CLIENT_EXCLUSIVE")
        case .server, .banned, .accountRemoved, .passwordChanged: Code(2, "SERVER")
        case .otherDevice: Code(3, "CLIENT")
        }
    }

    /// A `V2NIMErrorCode` of V2NIMError.h; the same for every call.
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
        // Also at the limit of devices.
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
        case .callbackFailed: (191_003, "CALLBACK_FAILED")
        case .invalidArgument, .textTooLong, .limitExceeded, .requestTooLarge, .valueTooLarge:
            (191_004, "INVALID_PARAMETER")
        case .timeout: (191_005, "TIMEOUT")
        case .connectionFailed, .networkUnavailable, .retryLimitReached: (192_001, "CONNECT_FAILED")
        }
    }

    /// Always nil, as in V1.
    public func name(of state: ClientState) -> String? { nil }

    /// The callbacks that ``callback(for:)`` can return.
    public var callbacks: [CallbackShape] {
        [
            CallbackShape("onLoginStatus", [("status", Self.loginStatuses.map(\.description))]),
            CallbackShape("onConnectStatus", [("status", Self.connectStatuses.map(\.description))]),
            CallbackShape("onConnectFailed", []), CallbackShape("onDisconnected", []),
            CallbackShape("onLoginFailed", [("error", [])]),
            CallbackShape(
                "onKickedOffline",
                [
                    (
                        "reason",
                        [.otherLogin, .server, .otherDevice].map { reason($0).description }
                            + [Self.quietly.description]
                    ),
                    ("clientType", Platform.allCases.map { before.clientType($0).description }),
                ]),
            CallbackShape("onDataSync", [("state", [])]), CallbackShape("onLoginClientChanged", [("clients", [])]),
            CallbackShape("onReceiveMessages", [("from", []), ("text", [])]),
        ] + CallbackShape.ofData(callback(for:_:))
    }
}
