import IMClient
import IMProtocol
import IMServer
import SansIO

/// Agora RTM 1.x, iOS: `AgoraRtmKit` and its delegates.
public struct AgoraRTMDialect: Dialect {
    public init() {}

    public let profile = "agora-rtm"
    public let title = "Agora RTM 1.x"

    public var clientPolicy: ClientPolicy {
        ClientPolicy(
            profile: profile, features: [.messages, .messageQueue, .channels, .attributes, .presence, .tokenRenewal],
            // RTM-2; the seed's number, headers and later documents have others.
            attemptTimeLimit: .seconds(6), kickedNeedsLogout: true, logoutWithoutLoginFails: true,
            retryDelays: [1, 2, 4, 8].map(Interval.seconds), retryJitterPerMille: 200,
            stableAfter: .milliseconds(500), interruptionGrace: .seconds(4), heartbeatInterval: .seconds(1),
            heartbeatAnswerLimit: .seconds(2),
            // RTM-9: a join or a change of attributes is given up after 5 s, a message after 10 s (RTM-8).
            requestTimeLimit: .seconds(5), messageTimeLimit: .seconds(10), channelCountMax: 20)
    }

    public var serverPolicy: ServerPolicy {
        ServerPolicy(
            profile: profile, exclusion: .single, deviceCountMax: 1,
            // RTM-9.
            loginRateMax: 2, loginRateWindow: .seconds(1),
            // RTM-4: 30 s from the break; a silent link counts as broken one heartbeat after the last.
            silenceLimit: .seconds(31), presenceHold: .seconds(30), heartbeatInterval: .seconds(1),
            // RTM-8.
            channelReplayMax: 32, channelReplayAge: .seconds(30))
    }

    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change):
            return Callback(
                "connectionStateChanged",
                [("state", state(change.to).description), ("reason", reason(change.reason).description)])
        case .notify(let notification):
            switch notification {
            case .memberChanged(let channel, let user, let joined):
                return Callback(joined ? "memberJoined" : "memberLeft", [("channel", channel), ("member", user)])
            case .messageReceived(let message):
                if message.isToChannel {
                    return Callback(
                        "channelMessageReceived",
                        [("channel", message.to), ("text", message.text), ("fromMember", message.from)])
                }
                return Callback("messageReceived", [("text", message.text), ("fromPeer", message.from)])
            case .presence(let user, let change):
                return Callback(
                    "peersOnlineStatusChanged", [("peer", user), ("state", onlineState(change).description)])
            case .tokenExpired: return Callback("rtmKitTokenDidExpire")
            case .loginStep, .autologinFailed, .kicked, .devicesChanged, .tokenWillExpire, .autologinCompleted,
                .syncStarted, .syncFinished, .synced, .operated, .treeValue:
                return nil
            }
        case .connect, .closeLink, .send, .persist, .keep, .complete: return nil
        }
    }

    private func onlineState(_ change: PresenceChange) -> Code {
        switch change {
        case .online: Code(0, "AgoraRtmPeerOnlineStateOnline")
        case .offline, .logout, .kicked: Code(2, "AgoraRtmPeerOnlineStateOffline")
        }
    }

    public func code(for status: Status, of call: CallKind) -> Code {
        switch call {
        case .login, .autologin, .offlineLogin: login(status)
        case .logout: logout(status)
        case .renewToken: renewToken(status)
        case .join: join(status)
        case .leave: leave(status)
        case .send: send(status)
        case .attributes: attributes(status)
        case .kick, .query, .option, .watch, .operate, .tree, .onDisconnect, .accountCall, .goOffline, .goOnline:
            switch status {
            case .ok: Code(0, "Ok")
            case .notLoggedIn: Code(102, "NotLoggedIn")
            default: Code(1, "Failure")
            }
        }
    }

    private func attributes(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmProcessAttributeErrorOk")
        case .invalidArgument: Code(3, "AgoraRtmAttributeOperationErrorInvalidArgument")
        case .limitExceeded: Code(4, "AgoraRtmAttributeOperationErrorSizeOverflow")
        case .rateLimited: Code(5, "AgoraRtmAttributeOperationErrorTooOften")
        case .notFound: Code(6, "AgoraRtmAttributeOperationErrorUserNotFound")
        case .timeout, .connectionFailed: Code(7, "AgoraRtmAttributeOperationErrorTimeout")
        case .notLoggedIn: Code(102, "AgoraRtmAttributeOperationErrorNotLoggedIn")
        default: Code(2, "AgoraRtmAttributeOperationErrorFailure")
        }
    }

    private func login(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLoginErrorOk")
        case .banned, .forbidden, .serverError, .limitExceeded, .tooManyDevices, .accountLimit:
            Code(2, "AgoraRtmLoginErrorRejected")
        case .invalidArgument, .unsupported: Code(3, "AgoraRtmLoginErrorInvalidArgument")
        case .wrongCredential: Code(5, "AgoraRtmLoginErrorInvalidToken")
        case .credentialExpired, .credentialTooShort: Code(6, "AgoraRtmLoginErrorTokenExpired")
        case .autologinNotAllowed, .offlineLoginNotAllowed: Code(7, "AgoraRtmLoginErrorNotAuthorized")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn: Code(8, "AgoraRtmLoginErrorAlreadyLogin")
        case .timeout: Code(9, "AgoraRtmLoginErrorTimeout")
        case .rateLimited: Code(10, "AgoraRtmLoginErrorLoginTooOften")
        case .loggedInElsewhere, .notLoggedIn, .notFound, .alreadyJoined, .stored, .connectionFailed,
            .networkUnavailable, .retryLimitReached, .cancelled, .kicked, .protocolViolation,
            .deviceChanged:
            Code(1, "AgoraRtmLoginErrorUnknown")
        }
    }

    private func logout(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLogoutErrorOk")
        case .notLoggedIn: Code(102, "AgoraRtmLogoutErrorNotLoggedIn")
        default: Code(1, "AgoraRtmLogoutErrorRejected")
        }
    }

    private func renewToken(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmRenewTokenErrorOk")
        case .invalidArgument: Code(2, "AgoraRtmRenewTokenErrorInvalidArgument")
        case .forbidden, .banned: Code(3, "AgoraRtmRenewTokenErrorRejected")
        case .rateLimited: Code(4, "AgoraRtmRenewTokenErrorTooOften")
        case .credentialExpired: Code(5, "AgoraRtmRenewTokenErrorTokenExpired")
        case .wrongCredential: Code(6, "AgoraRtmRenewTokenErrorInvalidToken")
        case .notLoggedIn: Code(102, "AgoraRtmRenewTokenErrorNotLoggedIn")
        default: Code(1, "AgoraRtmRenewTokenErrorFailure")
        }
    }

    private func join(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmJoinChannelErrorOk")
        case .forbidden: Code(2, "AgoraRtmJoinChannelErrorRejected")
        case .invalidArgument: Code(3, "AgoraRtmJoinChannelErrorInvalidArgument")
        case .timeout, .networkUnavailable, .connectionFailed: Code(4, "AgoraRtmJoinChannelErrorTimeout")
        case .limitExceeded: Code(5, "AgoraRtmJoinChannelErrorExceedLimit")
        case .alreadyJoined: Code(6, "AgoraRtmJoinChannelErrorAlreadyJoined")
        case .rateLimited: Code(7, "AgoraRtmJoinChannelErrorTooOften")
        case .notLoggedIn: Code(102, "AgoraRtmJoinChannelErrorNotLoggedIn")
        default: Code(1, "AgoraRtmJoinChannelErrorFailure")
        }
    }

    private func leave(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLeaveChannelErrorOk")
        case .notFound: Code(3, "AgoraRtmLeaveChannelErrorNotInChannel")
        case .notLoggedIn: Code(102, "AgoraRtmLeaveChannelErrorNotLoggedIn")
        default: Code(1, "AgoraRtmLeaveChannelErrorFailure")
        }
    }

    private func send(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmSendPeerMessageErrorOk")
        case .timeout: Code(2, "AgoraRtmSendPeerMessageErrorTimeout")
        case .notFound: Code(3, "AgoraRtmSendPeerMessageErrorPeerUnreachable")
        case .stored: Code(4, "AgoraRtmSendPeerMessageErrorCachedByServer")
        case .rateLimited: Code(5, "AgoraRtmSendPeerMessageErrorTooOften")
        case .invalidArgument: Code(6, "AgoraRtmSendPeerMessageErrorInvalidUserId")
        case .notLoggedIn: Code(102, "AgoraRtmSendPeerMessageErrorNotLoggedIn")
        default: Code(1, "AgoraRtmSendPeerMessageErrorFailure")
        }
    }

    public func name(of state: ClientState) -> String? { self.state(state).name }

    func state(_ state: ClientState) -> Code {
        switch state {
        case .loggedOut, .offline, .tokenExpired: Code(1, "AgoraRtmConnectionStateDisconnected")
        case .connecting, .syncing: Code(2, "AgoraRtmConnectionStateConnecting")
        case .online: Code(3, "AgoraRtmConnectionStateConnected")
        case .reconnecting: Code(4, "AgoraRtmConnectionStateReconnecting")
        case .kicked: Code(5, "AgoraRtmConnectionStateAborted")
        }
    }

    func reason(_ reason: StateReason) -> Code {
        switch reason {
        case .login: Code(1, "AgoraRtmConnectionChangeReasonLogin")
        case .loginSucceeded, .syncFinished: Code(2, "AgoraRtmConnectionChangeReasonLoginSuccess")
        case .loginFailed: Code(3, "AgoraRtmConnectionChangeReasonLoginFailure")
        case .loginTimedOut: Code(4, "AgoraRtmConnectionChangeReasonLoginTimeout")
        case .interrupted, .retrying, .wentOffline: Code(5, "AgoraRtmConnectionChangeReasonInterrupted")
        case .logout: Code(6, "AgoraRtmConnectionChangeReasonLogout")
        case .banned, .kickedByServer, .accountRemoved, .passwordChanged:
            Code(7, "AgoraRtmConnectionChangeReasonBannedByServer")
        case .remoteLogin, .kickedByOtherDevice: Code(8, "AgoraRtmConnectionChangeReasonRemoteLogin")
        case .tokenExpired: Code(9, "AgoraRtmConnectionChangeReasonTokenExpired")
        }
    }

    public var callbacks: [CallbackShape] {
        let states: [ClientState] = [.loggedOut, .connecting, .online, .reconnecting, .kicked]
        let reasons: [StateReason] = [
            .login, .loginSucceeded, .loginFailed, .loginTimedOut, .interrupted, .logout, .banned, .remoteLogin,
            .tokenExpired,
        ]
        return [
            CallbackShape(
                "connectionStateChanged",
                [("state", states.map { state($0).name }), ("reason", reasons.map { reason($0).name })]),
            CallbackShape("memberJoined", [("channel", []), ("member", [])]),
            CallbackShape("memberLeft", [("channel", []), ("member", [])]),
            CallbackShape("messageReceived", [("text", []), ("fromPeer", [])]),
            CallbackShape("channelMessageReceived", [("channel", []), ("text", []), ("fromMember", [])]),
            CallbackShape(
                "peersOnlineStatusChanged",
                [("peer", []), ("state", [.online, .offline].map { onlineState($0).name })]),
            CallbackShape("rtmKitTokenDidExpire"),
        ]
    }
}
