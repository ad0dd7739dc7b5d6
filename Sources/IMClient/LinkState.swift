import SansIO

/// The state of a client's connection, for SDKs that report this state separately from the login (NIM V2's
/// `onConnectStatus`, RTM 2's `didReceiveLinkStateEvent`).
public enum LinkState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// No user has logged in yet, or the user has logged out.
    case idle = 0
    case connecting = 1
    case connected = 2
    case disconnected = 3
    /// Disconnected, while the client waits for the delay before its next attempt.
    case waiting = 4
    /// Disconnected for so long that the client uses the longer delay of ``Suspension`` (RTM-10).
    case suspended = 5
    /// The login has failed, or the server has ended it.
    case failed = 6

    /// The case's name in recordings and JSON.
    public var name: String { "\(self)" }
}

/// A change of the state of a client's connection.
public struct LinkChange: Hashable, Sendable, Codable {
    /// The state before the change.
    public var from: LinkState
    /// The state after the change; never equal to ``from``.
    public var to: LinkState
    /// The reason for the change.
    public var reason: StateReason
    /// True if the server had accepted the login before the change. False for a change during the first login.
    public var isOfReconnect: Bool
    /// The joined channels that a broken connection affects, or that a reconnect restores, in the order of joining.
    /// Empty for any other change.
    public var channels: [String]

    /// A change from one state of the connection to another.
    public init(
        from: LinkState, to: LinkState, reason: StateReason, isOfReconnect: Bool = false, channels: [String] = []
    ) {
        self.from = from
        self.to = to
        self.reason = reason
        self.isOfReconnect = isOfReconnect
        self.channels = channels
    }
}

/// The definition of the connection whose state an SDK reports.
public enum LinkScope: String, Hashable, Sendable, Codable {
    /// The network connection. It is connected before the login starts (NIM V2).
    case connection
    /// The network connection with a login. It is connected when the server has accepted the login (RTM 2).
    case login
}

/// The behaviour of an SDK in a long outage (RTM-10).
public struct Suspension: Hashable, Sendable, Codable {
    /// The time from the break of the connection until the client is suspended.
    public var after: Interval
    /// The delay between two attempts of a suspended client.
    public var retryDelay: Interval

    /// A client is suspended after a time, and then waits `retryDelay` between two attempts.
    public init(after: Interval, retryDelay: Interval) {
        self.after = after
        self.retryDelay = retryDelay
    }
}
