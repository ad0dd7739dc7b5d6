import IMClient
import IMProtocol
import IMServer

/// NetEase NIM V2 (V10), iOS. It has one login call, and one status for the login and one for the connection. If
/// another device has taken the device's slot, a login is refused with 417.
public struct NIMV2Dialect: Dialect {
    private let base = NIMDialect()

    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "nim@v2"
    /// The name that the vendor gives the product.
    public let title = "NetEase NIM V2"

    /// One login call, with or without `forceMode`, replaces login and autologin. The SDK retries a login three times
    /// (`retryCount` of V2NIMLoginOption) within 60 s in total (`timeout`). The app is notified of the end of a login
    /// before the login ends: first comes `onKickedOffline`, then the statuses LOGOUT and DISCONNECTED.
    public var clientPolicy: ClientPolicy {
        var policy = base.clientPolicy
        policy.profile = profile
        policy.features.subtract(.autologin)
        policy.loginRetryCountMax = 3
        policy.loginTimeLimit = .seconds(60)
        policy.linkScope = .connection
        policy.announcesEndFirst = true
        policy.announcesOwnDevice = true
        return policy
    }

    /// The documented settings of V1.
    public var documentedSettings: [String: String] { base.documentedSettings }

    /// The measured settings of V1.
    public var measuredSettings: [String: String] { base.measuredSettings }

    /// A login without `forceMode` is refused if another device has taken the slot. So is a reconnect, also after a
    /// login with `forceMode`.
    public var serverPolicy: ServerPolicy {
        var policy = base.serverPolicy
        policy.profile = profile
        policy.takenPlace = .keepsCurrent
        policy.loginKeepsCurrent = true
        policy.offlineFreesPlace = true
        return policy
    }

    /// The callback for a change of the login's or the connection's status, a failure, a kick, the sync, a change of
    /// the user's other devices, a message, or a change of the user's data. Nil for all other effects.
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
        case .kicked(let notice): return kickCallback(for: notice, reason(notice.reason))
        case .replaced(let notice): return kickCallback(for: notice, Self.sameDevice)
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

    /// The index in `loginStatuses`, which is also the number of the `V2NIMLoginStatus`.
    private func loginStatus(_ state: ClientState) -> Int {
        switch state {
        case .loggedOut, .offline, .kicked, .tokenExpired: 0
        case .syncing, .online: 1
        case .connecting, .reconnecting: 2
        }
    }

    /// The `V2NIMConnectStatus` for a state of the connection. When a connection breaks, the app gets DISCONNECTED,
    /// WAITING, CONNECTING and CONNECTED.
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

    /// The callback for a change of the user's data, from the listeners of V2NIMMessageService,
    /// V2NIMConversationService, V2NIMUserService, V2NIMFriendService and V2NIMTeamService. A change of the block list
    /// has no callback here, because `ChangeKind` does not distinguish `onBlockListAdded` from `onBlockListRemoved`.
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

    private func kickCallback(for notice: KickNotice, _ reason: Code) -> Callback {
        Callback(
            "onKickedOffline",
            [
                ("reason", reason.description),
                ("clientType", base.clientType(notice.by?.platform ?? .unknown).description),
            ])
    }

    /// The reason if the kicking login came from the same device, such as another tab of the browser.
    private static let sameDevice = Code(4, "CLIENT_QUIETLY")

    private func reason(_ reason: KickReason) -> Code {
        switch reason {
        case .otherLogin: Code(1, "CLIENT_EXCLUSIVE")
        case .server, .banned, .accountRemoved, .passwordChanged: Code(2, "SERVER")
        case .otherDevice: Code(3, "CLIENT")
        }
    }

    /// The `V2NIMErrorCode` for a status, from V2NIMError.h. It does not depend on the kind of call.
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
        // The vendor also uses 417 if the user already has the maximum number of devices.
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
        case .autologinNotAllowed, .offlineLoginNotAllowed, .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn:
            (190_002, "ILLEGAL_STATE")
        // A call without a login (`notLoggedIn`) has the same code as an unsupported call.
        case .unsupported, .tooLate, .notLoggedIn: (191_001, "MISUSE")
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

    /// Always nil: the vendor reports two statuses and has no names for the states that all systems share.
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
                            + [Self.sameDevice.description]
                    ),
                    ("clientType", Platform.allCases.map { base.clientType($0).description }),
                ]),
            CallbackShape("onDataSync", [("state", [])]), CallbackShape("onLoginClientChanged", [("clients", [])]),
            CallbackShape("onReceiveMessages", [("from", []), ("text", [])]),
        ] + CallbackShape.dataCallbacks(callback(for:_:))
    }
}
