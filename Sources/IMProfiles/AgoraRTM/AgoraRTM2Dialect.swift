import IMClient
import IMProtocol
import IMServer
import SansIO

/// Agora RTM 2.x, iOS: ``AgoraRTMDialect`` with link state events and one enum of codes. An expired token ends the
/// login in the state Failed.
public struct AgoraRTM2Dialect: Dialect {
    private let base = AgoraRTMDialect()

    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "agora-rtm@2"
    /// The product's name with the version, for display.
    public let title = "Agora RTM 2.x"

    /// The SDK warns the app 30 s before a token expires. An expired or refused token ends the login. The SDK has no
    /// subscription to a user's presence, only to that of a channel. The app is notified at once when the connection is
    /// lost, and cannot send messages until the SDK has reconnected (RTM-10). Source: "Connection state transitions and
    /// recovery", Signaling 2.2.0 and later.
    public var clientPolicy: ClientPolicy {
        var policy = base.clientPolicy
        policy.profile = profile
        policy.features.subtract([.presence, .messageQueue])
        policy.tokenWarning = .before(.seconds(30))
        policy.tokenExpiryEndsLogin = true
        policy.refusalEndsLogin = true
        policy.interruptionGrace = .zero
        // The SDK retries after 2, 4, 8 s and so on. After 120 s it is suspended, and retries every 30 s (RTM-10).
        policy.retryDelays = [2, 4, 8, 16, 32, 64].map(Interval.seconds)
        policy.retryJitterPerMille = 0
        policy.firstRetryWaits = true
        policy.suspension = Suspension(after: .seconds(120), retryDelay: .seconds(30))
        policy.linkScope = .login
        return policy
    }

    /// The vendor documents the delays of retries. The numbers taken over from RTM 1.x are assumed for 2.x.
    public var documentedSettings: [String: String] { ["retry-delays-ms": "RTM-10", "first-retry-waits": "RTM-10"] }

    /// The server policy of RTM 1.x, except that an expired token ends the login.
    public var serverPolicy: ServerPolicy {
        var policy = base.serverPolicy
        policy.profile = profile
        policy.tokenExpiryEndsLogin = true
        return policy
    }

    /// The callback for a change of the connection's state, a change of a channel's members, a message, or the warning
    /// before a token expires. Nil for all other effects.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .notify(.linkChanged(let change)): return linkState(change)
        // The SDK still calls the callback `connectionChangedToState` of RTM 1.x. If the vendor documents no reason for
        // a change, the reason in the callback is assumed.
        case .transition(let change):
            return Callback(
                "connectionChangedToState",
                [("state", connectionState(change.to).description), ("reason", connectionReason(change).description)])
        case .notify(.memberChanged(let channel, let user, let joined)):
            return Callback(
                "didReceivePresenceEvent",
                [
                    ("type", presence(joined: joined).description), ("channelName", channel), ("publisher", user),
                ])
        case .notify(.messageReceived(let message)):
            let type = message.isToChannel ? Self.channelTypes[0] : Self.channelTypes[1]
            return Callback(
                "didReceiveMessageEvent",
                [
                    ("channelType", type.description), ("channelName", message.isToChannel ? message.to : message.from),
                    ("publisher", message.from), ("message", message.text),
                ])
        case .notify(.tokenWillExpire): return Callback("tokenPrivilegeWillExpire")
        default: return nil
        }
    }

    /// The name of an `AgoraRtmClientConnectionState` in AgoraRtmKit.h 2.2.
    public func name(of state: ClientState) -> String? { connectionState(state).name }

    private func connectionState(_ state: ClientState) -> Code {
        switch state {
        case .loggedOut, .offline: Self.connectionStates[0]
        case .connecting, .syncing: Self.connectionStates[1]
        case .online: Self.connectionStates[2]
        case .reconnecting: Self.connectionStates[3]
        case .kicked, .tokenExpired: Self.connectionStates[4]
        }
    }

    private static let connectionStates = [
        Code(1, "AgoraRtmClientConnectionStateDisconnected"), Code(2, "AgoraRtmClientConnectionStateConnecting"),
        Code(3, "AgoraRtmClientConnectionStateConnected"), Code(4, "AgoraRtmClientConnectionStateReconnecting"),
        Code(5, "AgoraRtmClientConnectionStateFailed"),
    ]

    // MARK: Link states

    /// The event for a change of the link's state. The vendor documents operation and reason only for an expired token;
    /// those of an interruption are assumed.
    private func linkState(_ change: LinkChange) -> Callback {
        let isResumed = change.to == .connected && change.isOfReconnect
        return Callback(
            "didReceiveLinkStateEvent",
            [
                ("currentState", Self.linkStates[state(change.to)].description),
                ("previousState", Self.linkStates[state(change.from)].description),
                ("operation", Self.operations[operation(change)].description),
                ("reasonCode", reason(change).description),
                ("affectedChannels", change.channels.joined(separator: ",")),
                ("isResumed", isResumed ? "true" : "false"),
            ])
    }

    private func state(_ state: LinkState) -> Int {
        switch state {
        case .idle: 0
        case .connecting: 1
        case .connected: 2
        case .disconnected, .waiting: 3
        case .suspended: 4
        case .failed: 5
        }
    }

    private func operation(_ change: LinkChange) -> Int {
        switch change.to {
        case .idle: 1
        case .connecting: change.isOfReconnect ? 5 : 0
        case .connected: change.isOfReconnect ? 6 : 0
        case .disconnected, .waiting, .suspended: change.from == .connected ? 7 : 5
        case .failed: change.isOfReconnect ? 4 : 0
        }
    }

    private func reason(_ change: LinkChange) -> Code {
        switch change.to {
        case .idle: Self.reasons[4]
        case .connecting: Self.reasons[change.isOfReconnect ? 5 : 0]
        case .connected: Self.reasons[change.isOfReconnect ? 6 : 1]
        case .disconnected, .waiting, .suspended: Self.reasons[change.from == .connected ? 11 : 12]
        case .failed: reasonOfFailure(change.reason)
        }
    }

    private func reasonOfFailure(_ reason: StateReason) -> Code {
        switch reason {
        case .loginTimedOut: Self.reasons[2]
        case .credentialRefused: Self.reasons[7]
        case .tokenExpired: Self.reasons[8]
        case .remoteLogin, .kickedByOtherDevice: Self.reasons[9]
        case .kickedByServer, .banned, .accountRemoved, .passwordChanged: Self.reasons[10]
        case .login, .loginSucceeded, .loginFailed, .syncFinished, .interrupted, .retrying, .logout, .wentOffline:
            Self.reasons[3]
        }
    }

    private static let linkStates = ["Idle", "Connecting", "Connected", "Disconnected", "Suspended", "Failed"]
        .enumerated().map { Code($0.offset, "AgoraRtmLinkState\($0.element)") }

    private static let operations = [
        "Login", "Logout", "Join", "Leave", "ServerReject", "AutoReconnect", "Reconnected", "HeartbeatTimeout",
        "ServerTimeout", "NetworkChange",
    ].enumerated().map { Code($0.offset, "AgoraRtmLinkOperation\($0.element)") }

    private static let reasons = [
        (1, "Login"), (2, "LoginSuccess"), (3, "LoginTimeout"), (5, "LoginRejected"), (7, "Logout"),
        (8, "AutoReconnect"), (10, "ReconnectSuccess"), (16, "InvalidToken"), (17, "TokenExpired"),
        (27, "SameUidLogin"), (28, "KickedOutByServer"), (29, "KeepAliveTimeout"), (30, "ConnectionError"),
    ].map { Code($0.0, "AgoraRtmLinkStateChangeReason\($0.1)") }

    /// Reasons of the vendor's enum that ``reason(_:)`` never returns. Help lists them.
    private static let otherReasons = [
        (0, "Unknown"), (4, "LoginNotAuthorized"), (6, "Relogin"), (9, "ReconnectTimeout"), (11, "Join"),
        (12, "JoinSuccess"), (13, "JoinFailed"), (14, "Rejoin"), (15, "Leave"), (18, "InconsistentAppId"),
        (19, "InvalidChannelName"), (20, "InvalidUserId"), (21, "NotInitialized"), (22, "RtmServiceNotConnected"),
        (23, "ChannelInstanceExceedLimitation"), (24, "OperationRateExceedLimitation"), (25, "ChannelInErrorState"),
        (26, "PresenceNotConnected"), (31, "PresenceNotReady"), (32, "NetworkChange"), (33, "ServiceNotSupported"),
        (34, "StreamChannelNotAvailable"), (35, "StorageNotAvailable"), (36, "LockNotAvailable"),
        (37, "LoginTooFrequent"),
    ].map { Code($0.0, "AgoraRtmLinkStateChangeReason\($0.1)") }

    // MARK: Messages and members

    private func presence(joined: Bool) -> Code {
        joined
            ? Code(3, "AgoraRtmPresenceEventTypeRemoteJoinChannel")
            : Code(4, "AgoraRtmPresenceEventTypeRemoteLeaveChannel")
    }

    private static let channelTypes = [Code(1, "AgoraRtmChannelTypeMessage"), Code(3, "AgoraRtmChannelTypeUser")]

    // MARK: The callback of RTM 1.x

    private func connectionReason(_ change: StateChange) -> Code {
        let number =
            switch change.reason {
            case .login, .retrying: 0
            case .interrupted, .wentOffline: 2
            case .kickedByServer, .banned, .accountRemoved, .passwordChanged: 3
            case .credentialRefused: 8
            case .tokenExpired: 9
            case .loginFailed: 10
            case .loginTimedOut: 16
            case .remoteLogin, .kickedByOtherDevice: 19
            case .loginSucceeded, .syncFinished: 10_001
            case .logout: 10_002
            }
        return Self.connectionReasons.first { $0.number == number } ?? Self.connectionReasons[0]
    }

    /// The values of `AgoraRtmClientConnectionChangeReason`.
    private static let connectionReasons = [
        (0, "Connecting"), (1, "JoinSuccess"), (2, "Interrupted"), (3, "BannedByServer"), (4, "JoinFailed"),
        (5, "LeaveChannel"), (6, "InvalidAppId"), (7, "InvalidChannelName"), (8, "InvalidToken"), (9, "TokenExpired"),
        (10, "RejectedByServer"), (11, "SettingProxyServer"), (12, "RenewToken"), (13, "ClientIpAddressChanged"),
        (14, "KeepAliveTimeout"), (15, "RejoinSuccess"), (16, "ChangedLost"), (17, "EchoTest"),
        (18, "ClientIpAddressChangedByUser"), (19, "SameUidLogin"), (20, "TooManyBroadcasters"),
        (21, "LicenseValidationFailure"), (22, "CertificationVerifyFailure"), (23, "StreamChannelNotAvailable"),
        (24, "InconsistentAppId"), (10_001, "LoginSuccess"), (10_002, "Logout"), (10_003, "PresenceNotReady"),
    ].map { Code($0.0, "AgoraRtmClientConnectionChanged\($0.1)") }

    /// The callbacks that ``callback(for:)`` can return.
    public var callbacks: [CallbackShape] {
        [
            CallbackShape(
                "didReceiveLinkStateEvent",
                [
                    ("currentState", Self.linkStates.map(\.description)),
                    ("previousState", Self.linkStates.map(\.description)),
                    ("operation", Self.operations.map(\.description)),
                    (
                        "reasonCode",
                        (Self.reasons + Self.otherReasons).sorted { $0.number < $1.number }.map(\.description)
                    ), ("affectedChannels", []), ("isResumed", ["true", "false"]),
                ]),
            CallbackShape(
                "connectionChangedToState",
                [
                    ("state", Self.connectionStates.map(\.description)),
                    ("reason", Self.connectionReasons.map(\.description)),
                ]),
            CallbackShape(
                "didReceivePresenceEvent",
                [
                    ("type", [true, false].map { presence(joined: $0).description }), ("channelName", []),
                    ("publisher", []),
                ]),
            CallbackShape(
                "didReceiveMessageEvent",
                [
                    ("channelType", Self.channelTypes.map(\.description)), ("channelName", []), ("publisher", []),
                    ("message", []),
                ]),
            CallbackShape("tokenPrivilegeWillExpire"),
        ]
    }
}
