// Names and numbers as Swift sees the vendor's header of 1.5.0. `AgoraRtmKitTests` compares them with the names under
// which the shell shows the same.

/// Where the SDK is (RTM-1).
public enum AgoraRtmConnectionState: Int, Sendable {
    /// At the beginning, after a failed login and after a logout.
    case disconnected = 1
    case connecting = 2
    case connected = 3
    /// The connection broke more than 4 s ago; it is made anew until a logout (RTM-3).
    case reconnecting = 4
    /// Given up; nothing but a logout leads out of it (RTM-6).
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

/// What a message holds.
public enum AgoraRtmMessageType: Int, Sendable {
    case undefined = 0
    case text = 1
    case raw = 2
    case file = 3
    case image = 4
}

/// Whether a user is there (RTM-4).
public enum AgoraRtmPeerOnlineState: Int, Sendable {
    case online = 0
    /// The simulated server never says this.
    case unreachable = 1
    case offline = 2
}

/// What of a user can be subscribed to.
public enum AgoraRtmPeerSubscriptionOptions: Int, Sendable {
    case onlineStatus = 0
}

/// What is logged; nothing is here.
public enum AgoraRtmLogFilter: Int, Sendable {
    case off = 0
    case info = 0x00f
    case warn = 0x00e
    case error = 0x00c
    case critical = 0x008
    case mask = 0x80f
}
