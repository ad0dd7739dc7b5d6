import Foundation

// The events of RTM 2, with the members of the header of 2.2. All of it lives on the job thread of virtual time, so it is
// Sendable. Timestamps are milliseconds since 1970 by the device's clock: the simulated server sends none.

/// A change of the connection.
public final class AgoraRtmLinkStateEvent: NSObject, @unchecked Sendable {
    public var currentState = AgoraRtmLinkState.idle
    public var previousState = AgoraRtmLinkState.idle
    public var serviceType = AgoraRtmServiceType.message
    public var operation = AgoraRtmLinkOperation.login
    public var reasonCode = AgoraRtmLinkStateChangeReason.unknown
    /// The name of ``reasonCode``.
    public var reason: String?
    /// The subscribed channels.
    public var affectedChannels: [String] = []
    /// Always empty: the machine subscribes to every channel again.
    public var unrestoredChannels: [String] = []
    /// True if the connection was restored and the login goes on.
    public var isResumed = false
    public var timestamp: UInt64 = 0
}

/// A received message.
public final class AgoraRtmMessageEvent: NSObject, @unchecked Sendable {
    public var channelType = AgoraRtmChannelType.none
    /// The channel; for a message between users, the sender.
    public var channelName = ""
    public var channelTopic = ""
    public var message = AgoraRtmMessage()
    public var publisher = ""
    public var customType: String?
    public var timestamp: UInt64 = 0
}

/// Users who are in a channel, joined it or left it.
public final class AgoraRtmPresenceEvent: NSObject, @unchecked Sendable {
    public var type = AgoraRtmPresenceEventType.none
    public var channelType = AgoraRtmChannelType.message
    public var channelName = ""
    public var publisher: String?
    /// Always empty: states are not simulated.
    public var states: [String: String] = [:]
    /// Always nil: every change is its own event.
    public var interval: AgoraRtmPresenceIntervalInfo?
    public var snapshot: [AgoraRtmUserState] = []
    public var timestamp: UInt64 = 0
}

public final class AgoraRtmPresenceIntervalInfo: NSObject, @unchecked Sendable {
    public var joinUserList: [String] = []
    public var leaveUserList: [String] = []
    public var timeoutUserList: [String] = []
    public var userStateList: [AgoraRtmUserState] = []
}

/// A user of a channel.
public final class AgoraRtmUserState: NSObject, @unchecked Sendable {
    public var userId = ""
    /// Always empty: states are not simulated.
    public var states: [String: String] = [:]
}

// MARK: Events that are not simulated

public final class AgoraRtmStorageEvent: NSObject, @unchecked Sendable {
    public var channelType = AgoraRtmChannelType.none
    public var storageType = AgoraRtmStorageType.none
    public var eventType = AgoraRtmStorageEventType.none
    public var target = ""
    public var data = AgoraRtmMetadata()
    public var timestamp: UInt64 = 0
}

public final class AgoraRtmMetadata: NSObject, @unchecked Sendable {
    public var majorRevision: Int64 = -1
    public var items: [AgoraRtmMetadataItem]?
}

public final class AgoraRtmMetadataItem: NSObject, @unchecked Sendable {
    public var key = ""
    public var value = ""
    public var authorUserId = ""
    public var revision: Int64 = -1
    public var updateTs: UInt64 = 0
}

public final class AgoraRtmLockEvent: NSObject, @unchecked Sendable {
    public var channelType = AgoraRtmChannelType.none
    public var eventType = AgoraRtmLockEventType.none
    public var channelName = ""
    public var lockDetailList: [AgoraRtmLockDetail] = []
    public var timestamp: UInt64 = 0
}

public final class AgoraRtmLockDetail: NSObject, @unchecked Sendable {
    public var lockName = ""
    public var owner = ""
    public var ttl: Int32 = 0
    public var timestamp: UInt64 = 0
}

public final class AgoraRtmTopicEvent: NSObject, @unchecked Sendable {
    public var type = AgoraRtmTopicEventType.none
    public var channelName = ""
    public var publisher = ""
    public var timestamp: UInt64 = 0
}
