import IMClient
import IMProtocol
import IMServer
import SansIO

/// Agora Chat (Easemob), iOS: `AgoraChatClient` and its delegates.
public struct AgoraChatDialect: Dialect {
    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "agora-chat"
    /// The name that the vendor gives the product.
    public let title = "Agora Chat"

    /// The client syncs while it is online (CHAT-12). It warns the app when 80 % of a token's lifetime have passed
    /// (CHAT-10). A logout that unbinds push requires the server (CHAT-11). Apps use platform numbers 1 to 100
    /// (CHAT-5).
    public var clientPolicy: ClientPolicy {
        // Measured in logs of real apps: the first retry comes after 5 to 9 s. If a host refuses the connection, the
        // SDK tries the next of ten hosts. The delays of later retries are assumed.
        var policy = ClientPolicy(profile: profile, retryDelays: [5, 5, 5, 5, 5, 5, 5, 5, 5, 15].map(Interval.seconds))
        policy.features = [
            .autologin, .messages, .localData, .operations, .selfIDs, .accountCalls, .deviceList, .tokenRenewal,
            .passwords, .localCalls, .channels,
        ]
        policy.attemptTimeLimit = .seconds(10)
        policy.sync = .whileOnline
        // After a kick the SDK logs itself out. Its log contains `begin logout ..` and `logout complete` (CHAT-10).
        policy.kickLogsOut = true
        policy.refusesLoginByUser = true
        policy.logoutNeedsServer = true
        // The warning comes when 80 % of the token's lifetime have passed (CHAT-10).
        policy.tokenWarning = .afterPerMille(800)
        policy.tokenExpiryEndsLogin = true
        policy.retryJitterPerMille = 800
        policy.firstRetryWaits = true
        policy.hostCount = 10
        // Measured in logs of real apps: the first interval is 120 s. Each answered heartbeat adds 45 s, up to 270 s.
        policy.heartbeatInterval = .seconds(120)
        policy.heartbeatGrowth = .seconds(45)
        policy.heartbeatIntervalMax = .seconds(270)
        policy.heartbeatAnswerLimit = .seconds(10)
        policy.announcesAutologinEnd = true
        // An app may give its platforms numbers from 1 to 100 (CHAT-5).
        policy.osTypes = 1...100
        return policy
    }

    /// No documented settings: all values of ``clientPolicy`` are measured or assumed.
    public var documentedSettings: [String: String] { [:] }

    /// The settings whose values were measured in logs of real apps.
    public var measuredSettings: [String: String] {
        let logs = "field logs of SDK 3.1"
        return [
            "heartbeat-interval-ms": logs, "heartbeat-growth-ms": logs, "heartbeat-interval-max-ms": logs,
            "first-retry-waits": logs, "kick-logs-out": logs, "host-count": logs,
            "retry-delays-ms": "\(logs), for the first retry",
            "retry-jitter-per-mille": "\(logs), for the first retry",
        ]
    }

    /// A user may have four devices of each platform (CHAT-2). If no slot is free, a reconnect kicks the device that
    /// logged in earliest (CHAT-3).
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .perPlatform)
        policy.deviceCountMax = 4
        policy.takenPlace = .kicksCurrent
        // A changed password ends the user's logins with code 216 (CHAT-10).
        policy.passwordChangeEndsLogins = true
        // Messages can be sent to a single device by its login id (CHAT-7).
        policy.hasLoginIDs = true
        policy.offlineFreesPlace = true
        policy.tokenExpiryEndsLogin = true
        // Assumed, because the vendor documents no value. The limit must exceed the longest heartbeat interval, 270 s.
        policy.silenceLimit = .seconds(300)
        policy.pushAfter = .seconds(60)
        policy.heartbeatInterval = .seconds(270)
        policy.deliversAtSync = true
        policy.copiesToOwnDevices = true
        policy.hasAccountCalls = true
        policy.hasUserData = true
        policy.tellsOperations = true
        policy.sendsReceipts = true
        return policy
    }

    /// The callback for a change of the connection, the end of a login, a token, a sync, a message, or an operation on
    /// another device. Nil for all other effects.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change):
            // The vendor has only two states. A change between states with the same vendor name is not reported
            // (CHAT-1).
            guard state(change.from) != state(change.to) else { return nil }
            return Callback("connectionStateDidChange", [("state", state(change.to).description)])
        case .notify(let notification): return callback(for: notification)
        case .connect, .closeLink, .send, .persist, .keep, .data, .complete: return nil
        }
    }

    private func callback(for notification: ClientNotification) -> Callback? {
        switch notification {
        case .autologinCompleted(let status):
            return Callback(
                "autoLoginDidCompleteWithError", [("error", code(for: status, of: .autologin).description)])
        case .autologinFailed(let status): return loginEndCallback(for: status)
        case .kicked(let notice): return kickCallback(for: notice)
        case .tokenExpired:
            return Callback("tokenDidExpire", [("code", code(for: .credentialExpired, of: .login).description)])
        case .tokenWillExpire: return Callback("tokenWillExpire", [("code", Self.tokenWillExpire.description)])
        case .syncStarted: return Callback("onOfflineMessageSyncStart")
        case .syncFinished: return Callback("onOfflineMessageSyncFinish")
        case .messageReceived(let message):
            return Callback(
                "messagesDidReceive", [("from", message.from), ("to", message.to), ("text", message.text)])
        case .operated(let operation): return operationCallback(for: operation)
        // This is a receipt from another user. If the user reads messages on another device, `operated` reports that.
        case .dataChanged(.read, let user): return Callback("messagesDidRead", [("messageId", ""), ("from", user)])
        case .dataChanged(.delivered, let message): return Callback("messagesDidDeliver", [("messageId", message)])
        case .dataChanged(.conversationRead, let user): return Callback("onConversationRead", [("from", user)])
        case .memberChanged(let room, let user, let joined):
            return Callback(
                joined ? "userDidJoinChatroom" : "userDidLeaveChatroom", [("chatroom", room), ("user", user)])
        case .loginStep, .devicesChanged, .synced, .presence, .treeValue, .treeChild, .treeCancelled, .dataSync,
            .dataChanged, .dataProgress, .linkChanged, .dataOpened, .replaced:
            return nil
        }
    }

    /// The callback for a kick, with the vendor's code for the reason (CHAT-5, CHAT-6, CHAT-10).
    private func kickCallback(for notice: KickNotice) -> Callback {
        let code = code(for: notice.reason.status, of: .login)
        switch notice.reason {
        case .otherLogin: return otherDeviceCallback(notice.by, code)
        case .server, .otherDevice, .passwordChanged: return forcedLogoutCallback(code)
        case .banned: return Callback("userDidForbidByServer", [("code", code.description)])
        case .accountRemoved: return Callback("userAccountDidRemoveFromServer", [("code", code.description)])
        }
    }

    /// The callback for a reconnect that the server refused with this status: the refusal ends the login.
    private func loginEndCallback(for status: Status) -> Callback {
        switch status {
        case .deviceChanged: return otherDeviceCallback(nil, code(for: status, of: .login))
        case .banned: return Callback("userDidForbidByServer", [("code", Self.forbidden.description)])
        default: return forcedLogoutCallback(code(for: status, of: .login))
        }
    }

    private func otherDeviceCallback(_ device: Device?, _ code: Code) -> Callback {
        Callback(
            "userAccountDidLoginFromOtherDeviceWithInfo",
            [
                ("code", code.description), ("deviceName", device?.name ?? ""),
                ("loginExtensionInfo", device?.ext ?? ""),
            ])
    }

    private func forcedLogoutCallback(_ code: Code) -> Callback {
        Callback("userAccountDidForcedToLogout", [("code", code.description)])
    }

    private func operationCallback(for operation: DeviceOperation) -> Callback {
        let event = ("event", self.event(operation.kind).description)
        let ext = ("ext", operation.ext)
        switch operation.kind {
        case .messagesRemoved:
            return Callback(
                "multiDevicesMessageBeRemoved",
                [("conversationId", operation.target), ("deviceId", operation.device)])
        case .conversationRead: return Callback("onConversationRead", [("from", operation.target)])
        case .messageRead: return Callback("messagesDidRead", [("messageId", operation.target), ("from", "")])
        case .contactRemove, .contactAccept, .contactDecline, .contactBan, .contactAllow:
            return Callback("multiDevicesContactEventDidReceive", [event, ("username", operation.target), ext])
        case .threadCreate, .threadDestroy, .threadJoin, .threadLeave, .threadUpdate, .threadKick:
            return Callback("multiDevicesChatThreadEventDidReceive", [event, ("threadId", operation.target), ext])
        case .conversationPinned, .conversationUnpinned, .conversationDelete, .conversationUpdateMark,
            .conversationMuteInfoChanged:
            let type = conversationType(isOfGroup: operation.isOfGroup).description
            return Callback(
                "multiDevicesConversationEvent",
                [event, ("conversationId", operation.target), ("conversationType", type)])
        case .groupCreate, .groupDestroy, .groupJoin, .groupLeave, .groupApply, .groupApplyAccept,
            .groupApplyDecline, .groupInvite, .groupInviteAccept, .groupInviteDecline, .groupKick, .groupBan,
            .groupAllow, .groupBlock, .groupUnblock, .groupAssignOwner, .groupAddAdmin, .groupRemoveAdmin,
            .groupAddMute, .groupRemoveMute, .groupAddWhiteList, .groupRemoveWhiteList, .groupAllBan,
            .groupRemoveAllBan, .groupUpdate, .groupMemberAttributesChanged:
            return Callback("multiDevicesGroupEventDidReceive", [event, ("groupId", operation.target), ext])
        }
    }

    /// The conversation's type, an `AgoraChatConversationType`. The vendor reports no operations on chat rooms.
    private func conversationType(isOfGroup: Bool) -> Code {
        isOfGroup ? Code(1, "AgoraChatConversationTypeGroupChat") : Code(0, "AgoraChatConversationTypeChat")
    }

    /// The vendor's event for an operation on another device (CHAT-8). The event's number is the raw value of the kind.
    func event(_ kind: OperationKind) -> Code {
        let name: String
        switch kind {
        case .groupUnblock: name = "GroupUnBlock"
        default:
            let plain = "\(kind)"
            name = plain.prefix(1).uppercased() + plain.dropFirst()
        }
        return Code(Int(kind.rawValue), "AgoraChatMultiDevicesEvent" + name)
    }

    /// The name of an `AgoraChatConnectionState`. The vendor has two states: Connected and Disconnected (CHAT-1).
    public func name(of state: ClientState) -> String? { self.state(state).name }

    func state(_ state: ClientState) -> Code {
        switch state {
        case .syncing, .online: Code(0, "AgoraChatConnectionConnected")
        case .loggedOut, .connecting, .reconnecting, .offline, .kicked, .tokenExpired:
            Code(1, "AgoraChatConnectionDisconnected")
        }
    }

    private static let forbidden = Code(305, "AgoraChatErrorServerServingForbidden")
    private static let tokenWillExpire = Code(109, "AgoraChatErrorTokeWillExpire")

    /// The `AgoraChatErrorCode` for a status. An invalid argument is 101 in a login and 110 in other calls.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .ok, .stored: Code(0, "AgoraChatErrorNoError")
        case .networkUnavailable, .connectionFailed: Code(2, "AgoraChatErrorNetworkUnavailable")
        case .limitExceeded, .rateLimited, .channelRateLimited, .accountLimit, .requestTooLarge, .valueTooLarge:
            Code(4, "AgoraChatErrorExceedServiceLimit")
        case .credentialExpired, .credentialTooShort: Code(108, "AgoraChatErrorTokenExpire")
        case .invalidArgument, .textTooLong:
            call == .login || call == .autologin
                ? Code(101, "AgoraChatErrorInvalidUsername") : Code(110, "AgoraChatErrorInvalidParam")
        case .alreadyLoggedIn, .loginInProgress: Code(200, "AgoraChatErrorUserAlreadyLoginSame")
        case .otherUserLoggedIn: Code(218, "AgoraChatErrorUserAlreadyLoginAnother")
        case .notLoggedIn, .autologinNotAllowed, .offlineLoginNotAllowed: Code(201, "AgoraChatErrorUserNotLogin")
        case .wrongCredential: Code(202, "AgoraChatErrorUserAuthenticationFailed")
        case .notFound, .groupNotFound, .memberNotFound, .conversationNotFound:
            Code(204, "AgoraChatErrorUserNotFound")
        case .loggedInElsewhere, .replacedByLogin: Code(206, "AgoraChatErrorUserLoginOnAnotherDevice")
        case .accountRemoved: Code(207, "AgoraChatErrorUserRemoved")
        case .forbidden: Code(210, "AgoraChatErrorUserPermissionDenied")
        case .tooManyDevices: Code(214, "AgoraChatErrorUserLoginTooManyDevices")
        case .passwordChanged: Code(216, "AgoraChatErrorUserKickedByChangePassword")
        case .kicked: Code(217, "AgoraChatErrorUserKickedByOtherDevice")
        case .deviceChanged: Code(220, "AgoraChatErrorUserDeviceChanged")
        case .timeout: Code(301, "AgoraChatErrorServerTimeout")
        case .serverError, .protocolViolation: Code(303, "AgoraChatErrorServerUnknownError")
        case .banned: Self.forbidden
        case .alreadyJoined, .unsupported, .retryLimitReached, .cancelled, .dataUnavailable, .transactionStale,
            .transactionRetries, .transactionOverridden, .tooLate, .callbackFailed:
            Code(1, "AgoraChatErrorGeneral")
        }
    }

    /// The callbacks that ``callback(for:)`` can return, with the values of their enums.
    public var callbacks: [CallbackShape] {
        let events = OperationKind.allCases.filter { $0.rawValue < 100 }.map { (kind: $0, name: event($0).name) }
        func names(_ prefix: String) -> [String] {
            events.map(\.name).filter { $0.hasPrefix("AgoraChatMultiDevicesEvent" + prefix) }
        }
        return [
            CallbackShape("connectionStateDidChange", [("state", [state(.online).name, state(.loggedOut).name])]),
            CallbackShape("autoLoginDidCompleteWithError", [("error", [])]),
            CallbackShape(
                "userAccountDidLoginFromOtherDeviceWithInfo",
                [("code", []), ("deviceName", []), ("loginExtensionInfo", [])]),
            CallbackShape("userAccountDidForcedToLogout", [("code", [])]),
            CallbackShape("userAccountDidRemoveFromServer", [("code", [])]),
            CallbackShape("userDidForbidByServer", [("code", [])]),
            CallbackShape("tokenDidExpire", [("code", [])]),
            CallbackShape("tokenWillExpire", [("code", [])]),
            CallbackShape("onOfflineMessageSyncStart"),
            CallbackShape("onOfflineMessageSyncFinish"),
            CallbackShape("messagesDidReceive", [("from", []), ("to", []), ("text", [])]),
            CallbackShape(
                "multiDevicesContactEventDidReceive", [("event", names("Contact")), ("username", []), ("ext", [])]),
            CallbackShape(
                "multiDevicesGroupEventDidReceive", [("event", names("Group")), ("groupId", []), ("ext", [])]),
            CallbackShape(
                "multiDevicesChatThreadEventDidReceive", [("event", names("Thread")), ("threadId", []), ("ext", [])]),
            CallbackShape(
                "multiDevicesConversationEvent",
                [
                    ("event", names("Conversation")), ("conversationId", []),
                    ("conversationType", [false, true].map { conversationType(isOfGroup: $0).description }),
                ]),
            CallbackShape("multiDevicesMessageBeRemoved", [("conversationId", []), ("deviceId", [])]),
            CallbackShape("userDidJoinChatroom", [("chatroom", []), ("user", [])]),
            CallbackShape("userDidLeaveChatroom", [("chatroom", []), ("user", [])]),
            CallbackShape("onConversationRead", [("from", [])]),
            CallbackShape("messagesDidDeliver", [("messageId", [])]),
            CallbackShape("messagesDidRead", [("messageId", []), ("from", [])]),
        ]
    }
}
