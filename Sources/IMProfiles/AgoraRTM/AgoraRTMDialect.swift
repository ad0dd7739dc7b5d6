import IMClient
import IMProtocol
import IMServer
import SansIO

/// Agora RTM 1.x, iOS: `AgoraRtmKit` and its delegates.
public struct AgoraRTMDialect: Dialect {
    /// A dialect has no state.
    public init() {}

    /// `agora-rtm`.
    public let profile = "agora-rtm"
    /// The vendor's product name for the first generation.
    public let title = "Agora RTM 1.x"

    /// 6 s for a login (RTM-2), 4 s before an interruption is reported (RTM-3), 20 channels and the vendor's rates
    /// (RTM-9).
    public var clientPolicy: ClientPolicy {
        var policy = ClientPolicy(profile: profile, retryDelays: [1, 2, 4, 8].map(Interval.seconds))
        policy.features = [.messages, .messageQueue, .channels, .attributes, .presence, .tokenRenewal]
        // RTM-2; headers and later documents have other numbers.
        policy.attemptTimeLimit = .seconds(6)
        policy.kickedNeedsLogout = true
        policy.logoutWithoutLoginFails = true
        // RTM-5: only the app ends Reconnecting.
        policy.refusalEndsLogin = false
        policy.retryJitterPerMille = 200
        policy.stableAfter = .milliseconds(500)
        policy.interruptionGrace = .seconds(4)
        policy.heartbeatInterval = .seconds(1)
        policy.heartbeatAnswerLimit = .seconds(4)
        policy.silenceLimit = .seconds(4)
        // RTM-9: a join or a change of attributes times out after 5 s, a message after 10 s (RTM-8).
        policy.requestTimeLimit = .seconds(5)
        policy.messageTimeLimit = .seconds(10)
        policy.channelCountMax = 20
        policy.callRates = callRates
        return policy
    }

    /// The rules that document the values of ``clientPolicy``.
    public var documentedSettings: [String: String] {
        [
            "attempt-time-limit-ms": "RTM-2", "interruption-grace-ms": "RTM-3", "silence-limit-ms": "RTM-3",
            "retry-count-max": "RTM-3", "request-time-limit-ms": "RTM-9", "message-time-limit-ms": "RTM-8",
        ]
    }

    /// One instance of a user (RTM-6), who stays present for 30 s after a break (RTM-4); at most 32 missed messages of
    /// a channel, of the last 30 s (RTM-8).
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .single)
        policy.deviceCountMax = 1
        // RTM-9.
        policy.loginRateMax = 2
        policy.loginRateWindow = .seconds(1)
        // RTM-4: 30 s from the break. A silent link broke between two heartbeats; half a second after the last one is
        // the estimate with the smallest error.
        policy.silenceLimit = .milliseconds(30_500)
        policy.presenceHold = .seconds(30)
        policy.heartbeatInterval = .milliseconds(500)
        // RTM-8.
        policy.channelReplayMax = 32
        policy.channelReplayAge = .seconds(30)
        policy.endsOtherInstances = true
        return policy
    }

    /// The vendor's rate limits for calls (RTM-9).
    private var callRates: [CallRate] {
        [
            CallRate(.messages, 180, within: .seconds(3)), CallRate(.joins, 50, within: .seconds(3)),
            CallRate(.joinsOfOneChannel, 2, within: .seconds(5)), CallRate(.memberQuestions, 5, within: .seconds(2)),
            CallRate(.userAttributes, 10, within: .seconds(5)),
            CallRate(.userAttributeQuestions, 40, within: .seconds(5)),
            CallRate(.channelAttributes, 10, within: .seconds(5)),
            CallRate(.channelAttributeQuestions, 10, within: .seconds(5)),
            CallRate(.watches, 10, within: .seconds(5)), CallRate(.renewals, 2, within: .seconds(1)),
        ]
    }

    /// Every change of state, members, messages, presence, the end of a token; otherwise nil.
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
                .syncStarted, .syncFinished, .synced, .operated, .treeValue, .treeChild, .treeCancelled, .dataSync,
                .dataChanged, .dataProgress, .linkChanged, .dataOpened, .replaced:
                return nil
            }
        case .connect, .closeLink, .send, .persist, .keep, .data, .complete: return nil
        }
    }

    private func onlineState(_ change: PresenceChange) -> Code {
        switch change {
        case .online: Code(0, "AgoraRtmPeerOnlineStateOnline")
        case .offline, .logout, .kicked: Code(2, "AgoraRtmPeerOnlineStateOffline")
        }
    }

    /// An `AgoraRtmConnectionState` (RTM-1).
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
        case .loginFailed, .credentialRefused: Code(3, "AgoraRtmConnectionChangeReasonLoginFailure")
        case .loginTimedOut: Code(4, "AgoraRtmConnectionChangeReasonLoginTimeout")
        case .interrupted, .retrying, .wentOffline: Code(5, "AgoraRtmConnectionChangeReasonInterrupted")
        case .logout: Code(6, "AgoraRtmConnectionChangeReasonLogout")
        case .banned, .kickedByServer, .accountRemoved, .passwordChanged:
            Code(7, "AgoraRtmConnectionChangeReasonBannedByServer")
        case .remoteLogin, .kickedByOtherDevice: Code(8, "AgoraRtmConnectionChangeReasonRemoteLogin")
        case .tokenExpired: Code(9, "AgoraRtmConnectionChangeReasonTokenExpired")
        }
    }

    /// The callbacks that ``callback(for:)`` can return, with the values of their enums.
    public var callbacks: [CallbackShape] {
        let states: [ClientState] = [.loggedOut, .connecting, .online, .reconnecting, .kicked]
        let reasons: [StateReason] = [
            .login, .loginSucceeded, .loginFailed, .loginTimedOut, .interrupted, .logout, .banned, .remoteLogin,
            .tokenExpired,
        ]
        return [
            CallbackShape(
                "connectionStateChanged",
                [("state", states.map { state($0).description }), ("reason", reasons.map { reason($0).description })]),
            CallbackShape("memberJoined", [("channel", []), ("member", [])]),
            CallbackShape("memberLeft", [("channel", []), ("member", [])]),
            CallbackShape("messageReceived", [("text", []), ("fromPeer", [])]),
            CallbackShape("channelMessageReceived", [("channel", []), ("text", []), ("fromMember", [])]),
            CallbackShape(
                "peersOnlineStatusChanged",
                [("peer", []), ("state", [.online, .offline].map { onlineState($0).description })]),
            CallbackShape("rtmKitTokenDidExpire"),
        ]
    }
}
