import IMClient
import IMProfiles
import IMProtocol

/// The callbacks and numbers in the vendors' documents; nil where the documents have none.
struct VendorNumbers {
    /// A documented callback: its name, and the number that each of its numeric fields must have.
    struct ExpectedCallback {
        var callback: String
        var numbers: [(field: String, number: Int)] = []
    }

    private let profile: String

    init(_ profile: String) { self.profile = profile }

    // MARK: States

    /// The callback for a change of state; nil if the vendor has no callback for it.
    func expectedCallback(for change: StateChange) -> ExpectedCallback? {
        switch profile {
        case "zim": zim(change)
        case "agora-chat":
            // The connection state has a callback only if the client goes online or offline (CHAT-1).
            isOnline(change.from) == isOnline(change.to)
                ? nil
                : ExpectedCallback(
                    callback: "connectionStateDidChange", numbers: [("state", isOnline(change.to) ? 0 : 1)])
        case "agora-rtm": rtm(change)
        default: nil
        }
    }

    private func isOnline(_ state: ClientState) -> Bool { state == .online || state == .syncing }

    /// The connection states and events of ZIM-2 and ZIM-4.
    private func zim(_ change: StateChange) -> ExpectedCallback? {
        func state(_ state: ClientState) -> Int {
            switch state {
            case .loggedOut, .kicked, .tokenExpired: 0
            case .connecting, .offline: 1
            case .syncing, .online: 2
            case .reconnecting: 3
            }
        }
        guard state(change.from) != state(change.to) else { return nil }
        let event: Int
        switch (change.to, change.reason) {
        case (.kicked, .remoteLogin), (.kicked, .kickedByServer), (.kicked, .kickedByOtherDevice), (.kicked, .banned):
            event = 4
        case (.tokenExpired, .tokenExpired), (.loggedOut, .credentialRefused): event = 5
        case (.online, .loginSucceeded): event = 0
        case (.reconnecting, .interrupted): event = 3
        case (.connecting, .login): event = 1
        case (.loggedOut, .loginTimedOut): event = 2
        default: return nil
        }
        return ExpectedCallback(
            callback: "connectionStateChanged", numbers: [("state", state(change.to)), ("event", event)])
    }

    private static let rtmStates: [ClientState: Int] = [
        .loggedOut: 1, .connecting: 2, .online: 3, .reconnecting: 4, .kicked: 5,
    ]
    private static let rtmReasons: [StateReason: Int] = [
        .login: 1, .loginSucceeded: 2, .loginFailed: 3, .loginTimedOut: 4, .interrupted: 5, .logout: 6, .banned: 7,
        .remoteLogin: 8, .tokenExpired: 9, .credentialRefused: 3,
    ]

    /// The connection states and reasons of RTM-1 to RTM-7.
    private func rtm(_ change: StateChange) -> ExpectedCallback? {
        guard let state = Self.rtmStates[change.to], let reason = Self.rtmReasons[change.reason] else { return nil }
        return ExpectedCallback(callback: "connectionStateChanged", numbers: [("state", state), ("reason", reason)])
    }

    // MARK: Notifications

    func expectedCallback(for notification: ClientNotification) -> ExpectedCallback? {
        switch (profile, notification) {
        case ("nim", .loginStep(let step)):
            ExpectedCallback(callback: "onLogin", numbers: [("step", Self.number(of: step))])
        case ("nim", .kicked(let notice)): nim(notice)
        case ("nim", .devicesChanged(let change, _)):
            ExpectedCallback(callback: "onMultiLoginClientsChanged", numbers: [("type", Self.number(of: change))])
        case ("nim", .autologinFailed(let status)):
            number(of: status, in: .autologin).map {
                ExpectedCallback(callback: "onAutoLoginFailed", numbers: [("error", $0)])
            }
        case ("zim", .presence(_, let change)): zim(change)
        case ("zim", .tokenWillExpire): ExpectedCallback(callback: "tokenWillExpire")
        case ("agora-chat", .kicked(let notice)): chat(notice.reason)
        case ("agora-chat", .tokenExpired): ExpectedCallback(callback: "tokenDidExpire", numbers: [("code", 108)])
        case ("agora-chat", .tokenWillExpire): ExpectedCallback(callback: "tokenWillExpire", numbers: [("code", 109)])
        case ("agora-chat", .syncStarted): ExpectedCallback(callback: "onOfflineMessageSyncStart")
        case ("agora-chat", .syncFinished): ExpectedCallback(callback: "onOfflineMessageSyncFinish")
        case ("agora-chat", .operated(let operation)): Self.expectedCallback(for: operation.kind)
        case ("agora-rtm", .tokenExpired): ExpectedCallback(callback: "rtmKitTokenDidExpire")
        case ("agora-rtm", .memberChanged(_, _, let joined)):
            ExpectedCallback(callback: joined ? "memberJoined" : "memberLeft")
        default: nil
        }
    }

    /// The login steps of NIM-1 and NIM-9.
    private static func number(of step: LoginStep) -> Int {
        switch step {
        case .linking: 1
        case .linkOK: 2
        case .linkFailed: 3
        case .authenticating: 4
        case .loginOK: 5
        case .loginFailed: 6
        case .syncing: 7
        case .syncOK: 8
        case .connectionLost: 9
        case .networkChanged: 10
        }
    }

    /// The changes of other devices of NIM-13.
    private static func number(of change: DeviceChange) -> Int {
        switch change {
        case .initial: 1
        case .login: 2
        case .logout: 3
        }
    }

    private static let nimPlatforms: [Platform: Int] = [
        .android: 1, .ios: 2, .windows: 4, .windowsPhone: 8, .web: 16, .server: 32, .macos: 64,
    ]

    /// The kick reasons of NIM-12. The reason is the server unless another client ended the login.
    private func nim(_ notice: KickNotice) -> ExpectedCallback {
        let reason =
            switch notice.reason {
            case .otherLogin: 1
            case .otherDevice: 3
            case .server, .banned, .accountRemoved, .passwordChanged: 2
            }
        var word = ExpectedCallback(callback: "onKick", numbers: [("reason", reason)])
        if let type = notice.by.flatMap({ Self.nimPlatforms[$0.platform] }) {
            word.numbers.append(("clientType", type))
        }
        return word
    }

    /// The user status of ZIM-5. The vendor does not specify the status for a kick.
    private func zim(_ change: PresenceChange) -> ExpectedCallback? {
        let number: Int
        switch change {
        case .online: number = 0
        case .offline: number = 1
        case .logout: number = 2
        case .kicked: return nil
        }
        return ExpectedCallback(callback: "userStatusUpdated", numbers: [("status", number)])
    }

    /// The callbacks at the end of a login of CHAT-5, CHAT-6 and CHAT-10.
    private func chat(_ reason: KickReason) -> ExpectedCallback {
        switch reason {
        case .otherLogin:
            ExpectedCallback(callback: "userAccountDidLoginFromOtherDeviceWithInfo", numbers: [("code", 206)])
        case .server, .otherDevice: ExpectedCallback(callback: "userAccountDidForcedToLogout", numbers: [("code", 217)])
        case .passwordChanged: ExpectedCallback(callback: "userAccountDidForcedToLogout", numbers: [("code", 216)])
        case .banned: ExpectedCallback(callback: "userDidForbidByServer", numbers: [("code", 305)])
        case .accountRemoved: ExpectedCallback(callback: "userAccountDidRemoveFromServer", numbers: [("code", 207)])
        }
    }

    /// The callbacks for operations of CHAT-8 and CHAT-9.
    private static func expectedCallback(for kind: OperationKind) -> ExpectedCallback {
        let number: Int
        switch kind {
        case .messagesRemoved: return ExpectedCallback(callback: "multiDevicesMessageBeRemoved")
        case .conversationRead: return ExpectedCallback(callback: "onConversationRead")
        case .messageRead: return ExpectedCallback(callback: "messagesDidRead")
        case .contactRemove: number = 2
        case .contactAccept: number = 3
        case .contactDecline: number = 4
        case .contactBan: number = 5
        case .contactAllow: number = 6
        case .groupCreate: number = 10
        case .groupDestroy: number = 11
        case .groupJoin: number = 12
        case .groupLeave: number = 13
        case .groupApply: number = 14
        case .groupApplyAccept: number = 15
        case .groupApplyDecline: number = 16
        case .groupInvite: number = 17
        case .groupInviteAccept: number = 18
        case .groupInviteDecline: number = 19
        case .groupKick: number = 20
        case .groupBan: number = 21
        case .groupAllow: number = 22
        case .groupBlock: number = 23
        case .groupUnblock: number = 24
        case .groupAssignOwner: number = 25
        case .groupAddAdmin: number = 26
        case .groupRemoveAdmin: number = 27
        case .groupAddMute: number = 28
        case .groupRemoveMute: number = 29
        case .groupAddWhiteList: number = 30
        case .groupRemoveWhiteList: number = 31
        case .groupAllBan: number = 32
        case .groupRemoveAllBan: number = 33
        case .groupUpdate: number = 34
        case .threadCreate: number = 40
        case .threadDestroy: number = 41
        case .threadJoin: number = 42
        case .threadLeave: number = 43
        case .threadUpdate: number = 44
        case .threadKick: number = 45
        case .groupMemberAttributesChanged: number = 52
        case .conversationPinned: number = 60
        case .conversationUnpinned: number = 61
        case .conversationDelete: number = 62
        case .conversationUpdateMark: number = 63
        case .conversationMuteInfoChanged: number = 64
        }
        let callback =
            switch number {
            case ..<10: "multiDevicesContactEventDidReceive"
            case 40..<50: "multiDevicesChatThreadEventDidReceive"
            case 60...: "multiDevicesConversationEvent"
            default: "multiDevicesGroupEventDidReceive"
            }
        return ExpectedCallback(callback: callback, numbers: [("event", number)])
    }

    // MARK: Codes

    /// The vendor's number for the result of a call.
    func number(of status: Status, in call: CallKind) -> Int? {
        switch profile {
        case "nim": Self.nim[status]
        case "zim": Self.zim[status]
        case "agora-chat": Self.chat[status]
        case "agora-rtm": Self.rtm[Self.rtmCall(call)]?[status]
        case "wilddog": Self.wilddog[status]
        default: nil
        }
    }

    /// The codes of NIM-3 to NIM-10.
    private static let nim: [Status: Int] = [
        .ok: 200, .wrongCredential: 302, .forbidden: 403, .notFound: 404, .timeout: 408, .invalidArgument: 414,
        .connectionFailed: 415, .networkUnavailable: 415, .rateLimited: 416, .loggedInElsewhere: 417,
        .limitExceeded: 419, .banned: 422, .notLoggedIn: 13, .retryLimitReached: 15, .loginInProgress: 16,
    ]

    /// The codes of ZIM-1, ZIM-3, ZIM-6 and ZIM-8.
    private static let zim: [Status: Int] = [
        .ok: 0, .invalidArgument: 6_000_001, .rateLimited: 6_000_005, .wrongCredential: 6_000_103,
        .networkUnavailable: 6_000_104, .connectionFailed: 6_000_104, .timeout: 6_000_104,
        .credentialExpired: 6_000_106, .credentialTooShort: 6_000_108, .loginInProgress: 6_000_111,
        .alreadyLoggedIn: 6_000_111, .otherUserLoggedIn: 6_000_111, .notLoggedIn: 6_000_121, .kicked: 6_000_121,
        .offlineLoginNotAllowed: 6_000_124,
    ]

    /// The codes of C-2, CHAT-3 and CHAT-10.
    private static let chat: [Status: Int] = [
        .ok: 0, .networkUnavailable: 2, .credentialExpired: 108, .alreadyLoggedIn: 200, .otherUserLoggedIn: 218,
        .notLoggedIn: 201, .wrongCredential: 202, .notFound: 204, .replacedByLogin: 206, .accountRemoved: 207,
        .tooManyDevices: 214, .passwordChanged: 216, .kicked: 217, .deviceChanged: 220, .timeout: 301, .banned: 305,
    ]

    /// Calls that share one enum of the vendor are represented by one of them.
    private static func rtmCall(_ call: CallKind) -> CallKind {
        switch call {
        case .autologin: .login
        case .attributeQuery: .attributes
        default: call
        }
    }

    /// The codes of RTM-2 and RTM-6 to RTM-9.
    private static let rtm: [CallKind: [Status: Int]] = [
        .login: [
            .ok: 0, .invalidArgument: 3, .wrongCredential: 5, .credentialExpired: 6, .loginInProgress: 8,
            .alreadyLoggedIn: 8, .otherUserLoggedIn: 8, .timeout: 9, .rateLimited: 10,
        ],
        .logout: [.ok: 0, .notLoggedIn: 102],
        .renewToken: [
            .ok: 0, .invalidArgument: 2, .rateLimited: 4, .credentialExpired: 5, .wrongCredential: 6, .notLoggedIn: 102,
        ],
        .join: [
            .ok: 0, .invalidArgument: 3, .timeout: 4, .limitExceeded: 5, .alreadyJoined: 6, .rateLimited: 7,
            .channelRateLimited: 8, .notLoggedIn: 102,
        ],
        .send: [
            .ok: 0, .timeout: 2, .notFound: 3, .stored: 4, .rateLimited: 5, .textTooLong: 7, .notLoggedIn: 102,
        ],
        .attributes: [
            .ok: 0, .invalidArgument: 3, .limitExceeded: 4, .rateLimited: 5, .notFound: 6, .timeout: 7,
            .notLoggedIn: 102,
        ],
        .watch: [.ok: 0, .invalidArgument: 2, .timeout: 4, .rateLimited: 5, .notLoggedIn: 102],
    ]

    private static let wilddog: [Status: Int] = [
        .ok: 0, .forbidden: 26_101, .rateLimited: 26_103, .requestTooLarge: 26_104, .valueTooLarge: 26_105,
        .invalidArgument: 26_106, .transactionStale: 26_201, .transactionRetries: 26_203,
        .transactionOverridden: 26_204, .notFound: 26_301, .credentialExpired: 26_801, .wrongCredential: 26_802,
    ]
}
