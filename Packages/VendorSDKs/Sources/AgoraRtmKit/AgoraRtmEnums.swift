// Names and numbers of the vendor's header of 1.5.0, as Swift imports them. `AgoraRtmKitTests` compares them with the
// names that the shell shows.

/// The state of the connection (RTM-1).
public enum AgoraRtmConnectionState: Int, Sendable {
    /// The state at the start, after a failed login and after a logout.
    case disconnected = 1
    case connecting = 2
    case connected = 3
    /// The connection broke more than 4 s ago; the SDK reconnects until a logout (RTM-3).
    case reconnecting = 4
    /// Given up; only a logout leaves this state (RTM-6).
    case aborted = 5
}

/// Why ``AgoraRtmConnectionState`` changed (RTM-1).
public enum AgoraRtmConnectionChangeReason: Int, Sendable {
    case login = 1
    case loginSuccess = 2
    case loginFailure = 3
    case loginTimeout = 4
    case interrupted = 5
    case logout = 6
    case bannedByServer = 7
    /// The same user has logged in elsewhere (RTM-6).
    case remoteLogin = 8
    case tokenExpired = 9
}

/// The kind of a message's content.
public enum AgoraRtmMessageType: Int, Sendable {
    case undefined = 0
    case text = 1
    case raw = 2
    case file = 3
    case image = 4
}

/// The online state of a user (RTM-4).
public enum AgoraRtmPeerOnlineState: Int, Sendable {
    case online = 0
    /// The simulated server never sends this.
    case unreachable = 1
    case offline = 2
}

/// The kind of a subscription to a user.
public enum AgoraRtmPeerSubscriptionOptions: Int, Sendable {
    case onlineStatus = 0
}

/// The levels to log; nothing is logged here.
public enum AgoraRtmLogFilter: Int, Sendable {
    case off = 0
    case info = 0x00f
    case warn = 0x00e
    case error = 0x00c
    case critical = 0x008
    case mask = 0x80f
}
