import SansIO

/// The state of a client's connection, for SDKs that report it apart from the login (NIM V2's `onConnectStatus`, RTM
/// 2's `didReceiveLinkStateEvent`).
public enum LinkState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Nobody has logged in, or the user has logged out.
    case idle = 0
    case connecting = 1
    case connected = 2
    case disconnected = 3
    /// Disconnected; the next attempt waits for its time.
    case waiting = 4
    /// Disconnected for so long that the SDK tries rarely (RTM-10).
    case suspended = 5
    /// The login has failed or has been ended by the server.
    case failed = 6

    /// Its name in recordings and JSON.
    public var name: String { "\(self)" }
}

/// A change of the connection's state.
public struct LinkChange: Hashable, Sendable, Codable {
    /// The state before.
    public var from: LinkState
    /// The state after; never the same as before.
    public var to: LinkState
    /// The reason for the change.
    public var reason: StateReason
    /// True if the server had accepted the login before: the change belongs to a break, a reconnect or an end.
    public var isOfReconnect: Bool
    /// The joined channels that a break, or the return after it, affects, in the order of joining.
    public var channels: [String]

    /// A change from one state to another.
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

/// The connection whose state an SDK reports.
public enum LinkScope: String, Hashable, Sendable, Codable {
    /// The connection itself: it is connected before the login starts (NIM V2).
    case connection
    /// The connection with a login: it is connected when the server has accepted the login (RTM 2).
    case login
}

/// The behaviour of an SDK in a long outage (RTM-10).
public struct Suspension: Hashable, Sendable, Codable {
    /// How long after the break the client is suspended.
    public var after: Interval
    /// The time between two attempts of a suspended client.
    public var retryDelay: Interval

    /// Suspended after a time, with this time between two attempts.
    public init(after: Interval, retryDelay: Interval) {
        self.after = after
        self.retryDelay = retryDelay
    }
}
