import IMClient
import IMProtocol
import IMServer
import SansIO

/// NetEase NIM, iOS: `NIMLoginManager` and its delegate.
public struct NIMDialect: Dialect {
    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "nim"
    /// The name that the vendor gives the product.
    public let title = "NetEase NIM"

    /// The SDK retries after 2, 4, 6, 8, 16, 32, 64 s (NIM-5). A logout waits 3 s for the server (NIM-10). The client
    /// syncs before its state is online (NIM-14).
    public var clientPolicy: ClientPolicy {
        // The delays are as the vendor documents them, including the 6 between powers of two (NIM-5).
        var policy = ClientPolicy(profile: profile, retryDelays: [2, 4, 6, 8, 16, 32, 64].map(Interval.seconds))
        policy.features = [.autologin, .forcedAutologin, .kick, .messages, .localData, .deviceList, .localCalls]
        policy.attemptTimeLimit = .seconds(10)
        policy.sync = .beforeOnline
        policy.loginReplacesRetries = [.android]
        policy.logoutReportsUnreachedServer = true
        policy.logoutTimeLimit = .seconds(3)
        policy.failedLoginForbidsAutologin = true
        policy.heartbeatInterval = .seconds(30)
        policy.heartbeatAnswerLimit = .seconds(10)
        policy.announcesLoginSteps = true
        policy.announcesDevices = true
        return policy
    }

    /// The settings whose values the vendor documents, each with the id of the rule that quotes the document.
    public var documentedSettings: [String: String] {
        ["retry-delays-ms": "NIM-5", "retry-count-max": "NIM-6"]
    }

    /// The settings whose values were measured in logs of real apps.
    public var measuredSettings: [String: String] {
        ["login-replaces-retries": "field logs on Android"]
    }

    /// Logins on phones exclude each other, and so do logins on computers (NIM-11). A user may log in ten times a
    /// minute (NIM-8). Tokens do not expire.
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .mobileDesktop)
        // A device whose login ended is refused with a code such as 422 or 302 at its next login (NIM-7). A token does
        // not expire: other systems call it a password.
        policy.tellsEndsAsRefusals = true
        policy.tokenLifetime = nil
        // More than ten logins a minute are refused for the next minute (NIM-8).
        policy.loginRateMax = 10
        policy.loginRateWindow = .seconds(60)
        policy.loginRatePenalty = .seconds(60)
        policy.checksLastDevice = true
        policy.silenceLimit = .seconds(90)
        policy.heartbeatInterval = .seconds(30)
        policy.deliversAtSync = true
        policy.hasUserData = true
        policy.syncBringsData = true
        return policy
    }

    /// The callback for a step of a login, a failed autologin, a kick, a change of the user's other devices, a message,
    /// or a change of the user's data. Nil for all other effects.
    public func callback(for effect: ClientEffect) -> Callback? {
        guard case .notify(let notification) = effect else { return nil }
        switch notification {
        case .loginStep(let step): return Callback("onLogin", [("step", self.step(step).description)])
        case .autologinFailed(let status):
            return Callback("onAutoLoginFailed", [("error", code(for: status, of: .autologin).description)])
        case .kicked(let notice):
            return Callback(
                "onKick",
                [
                    ("reason", reason(notice.reason).description),
                    ("clientType", clientType(notice.by?.platform ?? .unknown).description),
                ])
        case .devicesChanged(let change, let devices):
            return Callback(
                "onMultiLoginClientsChanged", [("type", type(change).description), ("clients", deviceList(devices))])
        case .messageReceived(let message):
            return Callback("onRecvMessages", [("from", message.from), ("text", message.text)])
        case .dataChanged(let kind, let name): return callback(for: kind, name)
        case .memberChanged, .tokenExpired, .tokenWillExpire, .autologinCompleted, .syncStarted, .syncFinished, .synced,
            .operated, .presence, .treeValue, .treeChild, .treeCancelled, .dataSync, .dataProgress, .linkChanged,
            .dataOpened, .replaced:
            return nil
        }
    }

    /// The callback for a change of the user's data (NIM-14). The vendor has separate delegates for conversations,
    /// teams, users and messages.
    private func callback(for kind: ChangeKind, _ name: String) -> Callback? {
        switch kind {
        case .message, .conversation, .readElsewhere: Callback("didUpdateRecentSession", [("session", name)])
        case .conversationRemoved: Callback("didRemoveRecentSession", [("session", name)])
        case .conversationEmptied: Callback("messagesDeletedInSession", [("session", name)])
        case .messageRevoked: Callback("onRecvRevokeMessageNotification", [("messageId", name)])
        case .messageRemoved: Callback("onRecvMessagesDeleted", [("messageId", name)])
        case .read: Callback("onRecvMessageReceipts", [("from", name)])
        case .user: Callback("onUserInfoChanged", [("user", name)])
        case .friend, .friendRemoved: Callback("onFriendChanged", [("user", name)])
        case .blacklist: Callback("onBlackListChanged")
        case .friendApplication, .groupApplication: Callback("onReceiveSystemNotification", [("source", name)])
        case .group: Callback("onTeamUpdated", [("team", name)])
        case .groupRemoved: Callback("onTeamRemoved", [("team", name)])
        case .member, .memberRemoved: Callback("onTeamMemberChanged", [("team", name)])
        case .reaction, .call, .downloaded, .delivered, .conversationRead: nil
        }
    }

    /// The vendor's code for a status: a `NIMLocalErrorCode` below 200, a `NIMRemoteErrorCode` from 200 on. It does not
    /// depend on the kind of call.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .ok, .stored: Code(200, "Success")
        case .wrongCredential, .accountRemoved, .passwordChanged: Code(302, "NIMRemoteErrorCodeInvalidPass")
        case .credentialExpired, .credentialTooShort: Code(302, "NIMRemoteErrorCodeInvalidPass")
        case .forbidden: Code(403, "NIMRemoteErrorCodeForbidden")
        case .notFound, .groupNotFound, .memberNotFound, .conversationNotFound:
            Code(404, "NIMRemoteErrorCodeNotExist")
        case .timeout: Code(408, "NIMRemoteErrorCodeTimeoutError")
        case .invalidArgument, .textTooLong: Code(414, "NIMRemoteErrorCodeParameterError")
        case .connectionFailed, .networkUnavailable: Code(415, "NIMRemoteErrorCodeConnectionError")
        case .rateLimited, .channelRateLimited: Code(416, "NIMRemoteErrorCodeFrequently")
        case .loggedInElsewhere, .deviceChanged: Code(417, "NIMRemoteErrorCodeExist")
        case .limitExceeded, .tooManyDevices, .accountLimit, .alreadyJoined, .requestTooLarge, .valueTooLarge:
            Code(419, "NIMRemoteErrorCodeBeyondLimit")
        case .banned: Code(422, "NIMRemoteErrorAccountBlock")
        case .serverError: Code(500, "NIMRemoteErrorCodeUnknownError")
        case .protocolViolation: Code(509, "NIMRemoteErrorCodeInvalidProtocol")
        case .unsupported: Code(1, "NIMLocalErrorCodeInvalidParam")
        case .notLoggedIn, .autologinNotAllowed, .offlineLoginNotAllowed: Code(13, "NIMLocalErrorCodeUserInfoNeeded")
        case .retryLimitReached: Code(15, "NIMLocalErrorCodeAutoLoginRetryLimit")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn:
            Code(16, "NIMLocalErrorCodeSameOperationInProgress")
        case .cancelled, .kicked, .replacedByLogin, .dataUnavailable, .transactionStale, .transactionRetries,
            .transactionOverridden, .tooLate, .callbackFailed:
            Code(19, "NIMLocalErrorCodeManualCancelTask")
        }
    }

    /// Always nil: the vendor reports the steps of a login and has no names for states (NIM-1).
    public func name(of state: ClientState) -> String? { nil }

    func step(_ step: LoginStep) -> Code {
        switch step {
        case .linking: Code(1, "NIMLoginStepLinking")
        case .linkOK: Code(2, "NIMLoginStepLinkOK")
        case .linkFailed: Code(3, "NIMLoginStepLinkFailed")
        case .authenticating: Code(4, "NIMLoginStepLogining")
        case .loginOK: Code(5, "NIMLoginStepLoginOK")
        case .loginFailed: Code(6, "NIMLoginStepLoginFailed")
        case .syncing: Code(7, "NIMLoginStepSyncing")
        case .syncOK: Code(8, "NIMLoginStepSyncOK")
        case .connectionLost: Code(9, "NIMLoginStepLoseConnection")
        case .networkChanged: Code(10, "NIMLoginStepNetChanged")
        }
    }

    func reason(_ reason: KickReason) -> Code {
        switch reason {
        case .otherLogin: Code(1, "NIMKickReasonByClient")
        case .server, .banned, .accountRemoved, .passwordChanged: Code(2, "NIMKickReasonByServer")
        case .otherDevice: Code(3, "NIMKickReasonByClientManually")
        }
    }

    /// The vendor's number for a platform. Each number is a bit, as in the vendor's header.
    func clientType(_ platform: Platform) -> Code {
        switch platform {
        case .unknown, .linux, .miniProgram, .harmony: Code(0, "NIMLoginClientTypeUnknown")
        case .android: Code(1, "NIMLoginClientTypeAOS")
        case .ios, .ipad: Code(2, "NIMLoginClientTypeiOS")
        case .windows: Code(4, "NIMLoginClientTypePC")
        case .windowsPhone: Code(8, "NIMLoginClientTypeWP")
        case .web: Code(16, "NIMLoginClientTypeWeb")
        case .server: Code(32, "NIMLoginClientTypeRestful")
        case .macos: Code(64, "NIMLoginClientTypemacOS")
        }
    }

    func type(_ change: DeviceChange) -> Code {
        switch change {
        case .initial: Code(1, "NIMMultiLoginTypeInit")
        case .login: Code(2, "NIMMultiLoginTypeLogin")
        case .logout: Code(3, "NIMMultiLoginTypeLogout")
        }
    }

    /// The callbacks that ``callback(for:)`` can return, with the values of their enums.
    public var callbacks: [CallbackShape] {
        [
            CallbackShape("onLogin", [("step", LoginStep.allCases.map { step($0).description })]),
            CallbackShape("onAutoLoginFailed", [("error", [])]),
            CallbackShape(
                "onKick",
                [
                    ("reason", [.otherLogin, .server, .otherDevice].map { reason($0).description }),
                    ("clientType", Platform.allCases.map { clientType($0).description }),
                ]),
            CallbackShape(
                "onMultiLoginClientsChanged",
                [("type", DeviceChange.allCases.map { type($0).description }), ("clients", [])]),
            CallbackShape("onRecvMessages", [("from", []), ("text", [])]),
        ] + CallbackShape.dataCallbacks(callback(for:_:))
    }
}
