// Names and numbers of the vendor's header of 2.2, as Swift imports them. `AgoraRtmKitTests` compares them with the names
// that the shell shows.

/// The state of the connection.
public enum AgoraRtmLinkState: Int, Sendable {
    /// The state at the start and after a logout.
    case idle = 0
    case connecting = 1
    case connected = 2
    /// The connection broke more than 4 s ago; the SDK reconnects until a logout (RTM-3).
    case disconnected = 3
    /// Not simulated: it never occurs.
    case suspended = 4
    /// The login has ended or failed.
    case failed = 5
}

/// The operation that changed an ``AgoraRtmLinkState``.
public enum AgoraRtmLinkOperation: Int, Sendable {
    case login = 0
    case logout = 1
    case join = 2
    case leave = 3
    case serverReject = 4
    case autoReconnect = 5
    case reconnected = 6
    case heartbeatTimeout = 7
    case serverTimeout = 8
    case networkChange = 9
}

/// Why an ``AgoraRtmLinkState`` changed.
public enum AgoraRtmLinkStateChangeReason: Int, Sendable {
    case unknown = 0
    case login = 1
    case loginSuccess = 2
    case loginTimeout = 3
    case loginNotAuthorized = 4
    case loginRejected = 5
    case relogin = 6
    case logout = 7
    case autoReconnect = 8
    case reconnectTimeout = 9
    case reconnectSuccess = 10
    case join = 11
    case joinSuccess = 12
    case joinFailed = 13
    case rejoin = 14
    case leave = 15
    case invalidToken = 16
    case tokenExpired = 17
    case inconsistentAppId = 18
    case invalidChannelName = 19
    case invalidUserId = 20
    case notInitialized = 21
    case rtmServiceNotConnected = 22
    case channelInstanceExceedLimitation = 23
    case operationRateExceedLimitation = 24
    case channelInErrorState = 25
    case presenceNotConnected = 26
    case sameUidLogin = 27
    case kickedOutByServer = 28
    case keepAliveTimeout = 29
    case connectionError = 30
    case presenceNotReady = 31
    case networkChange = 32
    case serviceNotSupported = 33
    case streamChannelNotAvailable = 34
    case storageNotAvailable = 35
    case lockNotAvailable = 36
    case loginTooFrequent = 37
}

/// The state of the connection in the older callback.
public enum AgoraRtmClientConnectionState: Int, Sendable {
    case disconnected = 1
    case connecting = 2
    case connected = 3
    case reconnecting = 4
    case failed = 5
}

/// Why an ``AgoraRtmClientConnectionState`` changed.
public enum AgoraRtmClientConnectionChangeReason: Int, Sendable {
    case changedConnecting = 0
    case changedJoinSuccess = 1
    case changedInterrupted = 2
    case changedBannedByServer = 3
    case changedJoinFailed = 4
    case changedLeaveChannel = 5
    case changedInvalidAppId = 6
    case changedInvalidChannelName = 7
    case changedInvalidToken = 8
    case changedTokenExpired = 9
    case changedRejectedByServer = 10
    case changedSettingProxyServer = 11
    case changedRenewToken = 12
    case changedClientIpAddressChanged = 13
    case changedKeepAliveTimeout = 14
    case changedRejoinSuccess = 15
    case changedChangedLost = 16
    case changedEchoTest = 17
    case changedClientIpAddressChangedByUser = 18
    case changedSameUidLogin = 19
    case changedTooManyBroadcasters = 20
    case changedLicenseValidationFailure = 21
    case changedCertificationVerifyFailure = 22
    case changedStreamChannelNotAvailable = 23
    case changedInconsistentAppId = 24
    case changedLoginSuccess = 10_001
    case changedLogout = 10_002
    case changedPresenceNotReady = 10_003
}

public enum AgoraRtmChannelType: Int, Sendable {
    case none = 0
    /// A channel that users subscribe to.
    case message = 1
    /// Not simulated.
    case stream = 2
    /// A single user.
    case user = 3
}

public enum AgoraRtmPresenceEventType: Int, Sendable {
    case none = 0
    /// The users of the channel, at the start of a subscription.
    case snapshot = 1
    case interval = 2
    case remoteJoinChannel = 3
    case remoteLeaveChannel = 4
    case remoteConnectionTimeout = 5
    case remoteStateChanged = 6
    case errorOutOfService = 7
}

/// The events of a subscribed channel.
public struct AgoraRtmSubscribeChannelFeature: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let presence = Self(rawValue: 1)
    public static let metadata = Self(rawValue: 1 << 1)
    public static let message = Self(rawValue: 1 << 2)
    public static let lock = Self(rawValue: 1 << 3)
    public static let beQuiet = Self(rawValue: 1 << 4)
}

public struct AgoraRtmServiceType: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let message = Self(rawValue: 1)
    public static let stream = Self(rawValue: 2)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public struct AgoraRtmAreaCode: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let CN = Self(rawValue: 1)
    public static let NA = Self(rawValue: 1 << 1)
    public static let EU = Self(rawValue: 1 << 2)
    public static let AS = Self(rawValue: 1 << 3)
    public static let JP = Self(rawValue: 1 << 4)
    public static let IN = Self(rawValue: 1 << 5)
    public static let GLOB = Self(rawValue: 0xffff_ffff)
}

public enum AgoraRtmProtocolType: Int, Sendable {
    case tcpUdp = 0
    case tcpOnly = 1
}

public enum AgoraRtmLogLevel: Int, Sendable {
    case none = 0
    case info = 1
    case warn = 2
    case error = 4
    case fatal = 8
}

public enum AgoraRtmStorageType: Int, Sendable {
    case none = 0
    case user = 1
    case channel = 2
}

public enum AgoraRtmStorageEventType: Int, Sendable {
    case none = 0
    case snapshot = 1
    case set = 2
    case update = 3
    case remove = 4
}

public enum AgoraRtmLockEventType: Int, Sendable {
    case none = 0
    case snapshot = 1
    case lockSet = 2
    case lockRemoved = 3
    case lockAcquired = 4
    case lockReleased = 5
    case lockExpired = 6
}

public enum AgoraRtmTopicEventType: Int, Sendable {
    case none = 0
    case snapshot = 1
    case remoteJoinTopic = 2
    case remoteLeaveTopic = 3
}
