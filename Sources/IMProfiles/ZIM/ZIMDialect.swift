import IMClient
import IMProtocol
import IMServer
import SansIO

/// ZEGO ZIM, iOS: `ZIM` and its event handler.
public struct ZIMDialect: Dialect {
    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "zim"
    /// The name that the vendor gives the product.
    public let title = "ZEGO ZIM"

    /// The SDK sends a heartbeat every 10 s (ZIM-5). A login attempt fails after 10 s (ZIM-4). The app is warned 30 s
    /// before a token expires (ZIM-6). A queued message fails after 30 s (ZIM-10).
    public var clientPolicy: ClientPolicy {
        // The delays are assumed: the vendor documents that the SDK retries without an end, but gives no delays.
        var policy = ClientPolicy(profile: profile, retryDelays: [1, 2, 4, 8, 16].map(Interval.seconds))
        policy.features = [
            .offlineLogin, .messages, .messageQueue, .resend, .localData, .presence, .tokenRenewal, .deviceList,
            .localCalls, .loginUserName,
        ]
        policy.attemptTimeLimit = .seconds(10)
        policy.tokenWarning = .before(.seconds(30))
        policy.tokenExpiryEndsLogin = true
        policy.retryJitterPerMille = 200
        // If a heartbeat has no answer when the next one is due, the link is dead (ZIM-5).
        policy.heartbeatInterval = .seconds(10)
        policy.heartbeatAnswerLimit = .seconds(10)
        // A message that cannot be sent within 30 s fails, and can be sent again (ZIM-10).
        policy.messageTimeLimit = .seconds(30)
        return policy
    }

    /// The settings whose values the vendor documents, each with the id of the rule that quotes the document.
    public var documentedSettings: [String: String] {
        [
            "heartbeat-interval-ms": "ZIM-5", "message-time-limit-ms": "ZIM-10", "offline-token-min-ms": "ZIM-1",
            "retry-count-max": "ZIM-4",
        ]
    }

    /// A user may be logged in on one device (ZIM-7). A client counts as offline after 35 s of silence (ZIM-5).
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .single)
        policy.deviceCountMax = 10
        policy.tokenExpiryEndsLogin = true
        // A user counts as offline 35 s after the last frame (ZIM-5).
        policy.silenceLimit = .seconds(35)
        policy.breakWaitsForSilence = true
        policy.heartbeatInterval = .seconds(35)
        policy.copiesToOwnDevices = true
        policy.hasUserData = true
        return policy
    }

    /// The callback for a change of the connection's state, a message, a change of a user's presence, a token that
    /// expires soon, or a change of the user's data. Nil for all other effects.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change): return connectionStateChanged(change)
        case .notify(let notification): return callback(for: notification)
        case .connect, .closeLink, .send, .persist, .keep, .data, .complete: return nil
        }
    }

    private func callback(for notification: ClientNotification) -> Callback? {
        switch notification {
        case .messageReceived(let message) where message.isToGroup:
            return Callback(
                "groupMessageReceived",
                [("fromGroupID", message.to), ("fromUserID", message.from), ("text", message.text)])
        case .messageReceived(let message):
            // The callback's name since 2.18. In earlier versions the name is `receivePeerMessage`.
            return Callback("peerMessageReceived", [("fromUserID", message.from), ("text", message.text)])
        case .tokenWillExpire(let milliseconds):
            // The vendor reports whole seconds. They are rounded up, so that 29.99 s are reported as 30 s.
            return Callback(
                "tokenWillExpire", [("second", String(milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)))])
        case .presence(let user, let change):
            return Callback("userStatusUpdated", [("user", user), ("status", status(change).description)])
        case .loginStep, .autologinFailed, .kicked, .devicesChanged, .memberChanged, .tokenExpired,
            .autologinCompleted, .syncStarted, .syncFinished, .synced, .operated, .treeValue, .treeChild,
            .treeCancelled, .linkChanged, .dataOpened, .replaced:
            return nil
        case .dataSync(let state):
            return Callback("conversationSyncStateChanged", [("state", self.state(state).description)])
        case .dataChanged(let kind, let name): return callback(for: kind, name)
        case .dataProgress(let done, let all):
            // Not a callback of the event handler, but the progress block that the app passes to the call
            // (ZIMMessageExportingProgress, ZIMMessageImportingProgress).
            return Callback("progress", [("done", String(done)), ("all", String(all))])
        }
    }

    private func state(_ state: DataSyncState) -> Code {
        switch state {
        case .started: Code(0, "ZIMConversationSyncStateStarted")
        case .finished: Code(1, "ZIMConversationSyncStateFinished")
        }
    }

    /// The vendor's callback for a change of the user's data (ZIM-9).
    private func callback(for kind: ChangeKind, _ name: String) -> Callback? {
        switch kind {
        case .message, .conversation, .conversationRemoved, .conversationEmptied, .readElsewhere:
            Callback("conversationChanged", [("conversationID", name)])
        case .messageRemoved: Callback("messageDeleted", [("messageID", name)])
        case .messageRevoked: Callback("messageRevokeReceived", [("messageID", name)])
        case .read: Callback("messageReceiptChanged", [("userID", name)])
        case .reaction: Callback("messageReactionsChanged", [("userID", name)])
        case .user: Callback("userInfoUpdated", [("userID", name)])
        case .friend, .friendRemoved: Callback("friendListChanged", [("userID", name)])
        case .friendApplication: Callback("friendApplicationListChanged", [("userID", name)])
        case .blacklist: Callback("blacklistChanged", [("userID", name)])
        case .group, .groupRemoved: Callback("groupStateChanged", [("groupID", name)])
        case .member, .memberRemoved: Callback("groupMemberStateChanged", [("groupID", name)])
        case .groupApplication: Callback("groupApplicationListChanged", [("groupID", name)])
        case .call: Callback("callInvitationReceived", [("callID", name)])
        case .downloaded, .delivered, .conversationRead: nil
        }
    }

    /// The callback for a change of state; nil if both states have one name in ZIM. After an offline login, waiting for
    /// a retry and connecting are both Connecting (ZIM-2).
    private func connectionStateChanged(_ change: StateChange) -> Callback? {
        guard state(change.from) != state(change.to) else { return nil }
        return Callback(
            "connectionStateChanged",
            [("state", state(change.to).description), ("event", event(change).description)])
    }

    /// The name of a `ZIMConnectionState`. After an offline login the state is Connecting (ZIM-2).
    public func name(of state: ClientState) -> String? { self.state(state).name }

    func state(_ state: ClientState) -> Code {
        switch state {
        case .loggedOut, .kicked, .tokenExpired: Code(0, "ZIMConnectionStateDisconnected")
        case .connecting, .offline: Code(1, "ZIMConnectionStateConnecting")
        case .syncing, .online: Code(2, "ZIMConnectionStateConnected")
        case .reconnecting: Code(3, "ZIMConnectionStateReconnecting")
        }
    }

    private func event(_ change: StateChange) -> Code {
        switch change.reason {
        case .login: Self.events[1]
        case .loginSucceeded, .syncFinished, .logout, .wentOffline: Self.events[0]
        // The vendor has one event for all failed logins. The code in the completion of the login call gives the
        // reason.
        case .loginTimedOut, .loginFailed: Self.events[2]
        case .interrupted, .retrying: Self.events[3]
        case .remoteLogin, .kickedByServer, .kickedByOtherDevice, .banned, .accountRemoved, .passwordChanged:
            Self.events[4]
        // The vendor documents no event for a token that the server refuses. The event for an expired token fits,
        // because the app must get a new token in both cases. The code in the completion gives the reason (ZIM-4).
        case .tokenExpired, .credentialRefused: Self.events[5]
        }
    }

    private static let events = [
        Code(0, "ZIMConnectionEventSuccess"), Code(1, "ZIMConnectionEventActiveLogin"),
        Code(2, "ZIMConnectionEventLoginTimeout"), Code(3, "ZIMConnectionEventLoginInterrupted"),
        Code(4, "ZIMConnectionEventKickedOut"), Code(5, "ZIMConnectionEventTokenExpired"),
    ]

    private func status(_ change: PresenceChange) -> Code {
        switch change {
        case .online: Code(0, "ZIMUserOnlineStatusOnline")
        case .offline, .kicked: Code(1, "ZIMUserOnlineStatusOffline")
        case .logout: Code(2, "ZIMUserOnlineStatusLogout")
        }
    }

    /// The `ZIMErrorCode` for a status. It does not depend on the kind of call.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .ok, .stored: Code(0, "ZIMErrorCodeSuccess")
        case .invalidArgument, .textTooLong: Code(6_000_001, "ZIMErrorCodeCommonModuleParamsInvalid")
        case .rateLimited, .channelRateLimited:
            Code(6_000_005, "ZIMErrorCodeCommonModuleTriggerServerFrequencyLimit")
        case .serverError, .protocolViolation: Code(6_000_007, "ZIMErrorCodeCommonModuleIMServerError")
        case .accountLimit: Code(6_000_015, "ZIMErrorCodeCommonModuleDAULimit")
        case .groupNotFound: Code(6_000_523, "ZIMErrorCodeGroupModuleGroupDoesNotExist")
        case .memberNotFound: Code(6_000_521, "ZIMErrorCodeGroupModuleUserIsNotInTheGroup")
        case .conversationNotFound: Code(6_000_603, "ZIMErrorCodeConversationModuleConversationDoesNotExist")
        case .notFound, .accountRemoved: Code(6_000_011, "ZIMErrorCodeCommonModuleUserIsNotExist")
        case .wrongCredential, .passwordChanged: Code(6_000_103, "ZIMErrorCodeNetworkModuleTokenInvalid")
        case .timeout, .connectionFailed, .networkUnavailable: Code(6_000_104, "ZIMErrorCodeNetworkModuleNetworkError")
        case .credentialExpired: Code(6_000_106, "ZIMErrorCodeNetworkModuleTokenExpired")
        case .credentialTooShort: Code(6_000_108, "ZIMErrorCodeNetworkModuleTokenTimeIsTooShort")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn:
            Code(6_000_111, "ZIMErrorCodeNetworkModuleUserHasAlreadyLogged")
        case .notLoggedIn, .kicked, .replacedByLogin: Code(6_000_121, "ZIMErrorCodeNetworkModuleUserIsNotLogged")
        case .offlineLoginNotAllowed: Code(6_000_124, "ZIMErrorCodeNetworkModuleOfflineLoginUserMismatch")
        case .banned, .forbidden, .loggedInElsewhere, .tooManyDevices, .deviceChanged, .autologinNotAllowed:
            Code(6_000_101, "ZIMErrorCodeNetworkModuleCommonError")
        case .requestTooLarge, .valueTooLarge, .alreadyJoined, .limitExceeded, .unsupported, .retryLimitReached,
            .cancelled, .dataUnavailable, .transactionStale, .transactionRetries, .transactionOverridden, .tooLate,
            .callbackFailed:
            Code(1, "ZIMErrorCodeFailed")
        }
    }

    /// The callbacks that ``callback(for:)`` can return, with the values of their enums.
    public var callbacks: [CallbackShape] {
        let states: [ClientState] = [.loggedOut, .connecting, .online, .reconnecting]
        return [
            CallbackShape(
                "connectionStateChanged",
                [("state", states.map { state($0).description }), ("event", Self.events.map(\.description))]),
            CallbackShape("peerMessageReceived", [("fromUserID", []), ("text", [])]),
            CallbackShape("progress", [("done", []), ("all", [])]),
            CallbackShape("groupMessageReceived", [("fromGroupID", []), ("fromUserID", []), ("text", [])]),
            CallbackShape("tokenWillExpire", [("second", [])]),
            CallbackShape(
                "userStatusUpdated",
                [("user", []), ("status", [.online, .offline, .logout].map { status($0).description })]),
            CallbackShape(
                "conversationSyncStateChanged", [("state", DataSyncState.allCases.map { state($0).description })]),
        ] + CallbackShape.dataCallbacks(callback(for:_:))
    }
}
