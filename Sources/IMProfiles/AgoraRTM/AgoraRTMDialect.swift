import IMClient
import IMProtocol
import IMServer
import SansIO

/// Agora RTM 1.x, iOS: `AgoraRtmKit` and its delegates.
public struct AgoraRTMDialect: Dialect {
    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "agora-rtm"
    /// The product's name with the version, for display.
    public let title = "Agora RTM 1.x"

    /// A login fails after 6 s (RTM-2). The app is notified of an interruption after 4 s (RTM-3). A login can join 20
    /// channels, and calls have the vendor's rate limits (RTM-9).
    public var clientPolicy: ClientPolicy {
        var policy = ClientPolicy(profile: profile, retryDelays: [1, 2, 4, 8].map(Interval.seconds))
        policy.features = [.messages, .messageQueue, .channels, .attributes, .presence, .tokenRenewal]
        // The documents of RTM-2 give 6 s. The vendor's headers and later documents give other numbers.
        policy.attemptTimeLimit = .seconds(6)
        policy.kickedNeedsLogout = true
        policy.logoutWithoutLoginFails = true
        // The SDK stays in Reconnecting until the app logs out: a refused reconnect does not end the login (RTM-5).
        policy.refusalEndsLogin = false
        policy.retryJitterPerMille = 200
        policy.stableAfter = .milliseconds(500)
        policy.interruptionGrace = .seconds(4)
        policy.heartbeatInterval = .seconds(1)
        policy.heartbeatAnswerLimit = .seconds(4)
        policy.silenceLimit = .seconds(4)
        // A join or a change of attributes times out after 5 s (RTM-9), and a message after 10 s (RTM-8).
        policy.requestTimeLimit = .seconds(5)
        policy.messageTimeLimit = .seconds(10)
        policy.channelCountMax = 20
        policy.callRates = callRates
        return policy
    }

    /// The settings whose values the vendor documents, each with the id of the rule that quotes the document.
    public var documentedSettings: [String: String] {
        [
            "attempt-time-limit-ms": "RTM-2", "interruption-grace-ms": "RTM-3", "silence-limit-ms": "RTM-3",
            "retry-count-max": "RTM-3", "request-time-limit-ms": "RTM-9", "message-time-limit-ms": "RTM-8",
        ]
    }

    /// A user may be logged in once (RTM-6). After a connection breaks, its user counts as online for another 30 s
    /// (RTM-4). A user who returns gets at most 32 missed messages of a channel, from the last 30 s (RTM-8).
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .single)
        policy.deviceCountMax = 1
        // At most two logins per second (RTM-9).
        policy.loginRateMax = 2
        policy.loginRateWindow = .seconds(1)
        // A user counts as offline 30 s after the break (RTM-4). A silent link broke at an unknown time between the
        // last heartbeat and the next one, 1 s later. The middle of that time, 0.5 s, is the estimate with the smallest
        // error.
        policy.silenceLimit = .milliseconds(30_500)
        policy.presenceHold = .seconds(30)
        policy.heartbeatInterval = .milliseconds(500)
        // A user who returns gets the missed messages of a channel (RTM-8).
        policy.channelReplayMax = 32
        policy.channelReplayAge = .seconds(30)
        policy.endsOtherInstances = true
        return policy
    }

    /// The vendor's rate limits for calls (RTM-9).
    private var callRates: [CallRate] {
        [
            CallRate(.messages, 180, within: .seconds(3)), CallRate(.joins, 50, within: .seconds(3)),
            CallRate(.joinsOfOneChannel, 2, within: .seconds(5)), CallRate(.memberQueries, 5, within: .seconds(2)),
            CallRate(.userAttributes, 10, within: .seconds(5)),
            CallRate(.userAttributeQueries, 40, within: .seconds(5)),
            CallRate(.channelAttributes, 10, within: .seconds(5)),
            CallRate(.channelAttributeQueries, 10, within: .seconds(5)),
            CallRate(.watches, 10, within: .seconds(5)), CallRate(.renewals, 2, within: .seconds(1)),
        ]
    }

    /// The callback for a change of the connection's state, a change of a channel's members, a message, a change of a
    /// user's presence, or an expired token. Nil for all other effects.
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

    /// The name of an `AgoraRtmConnectionState` (RTM-1).
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
