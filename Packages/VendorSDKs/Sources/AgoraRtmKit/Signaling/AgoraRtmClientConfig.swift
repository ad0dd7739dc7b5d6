import Foundation

/// The settings of a client. Only ``appId`` and ``userId`` have an effect.
public final class AgoraRtmClientConfig: NSObject, @unchecked Sendable {
    public var appId: String
    public var userId: String
    public var areaCode = AgoraRtmAreaCode.GLOB
    public var protocolType = AgoraRtmProtocolType.tcpUdp
    /// In seconds. Without effect: a user is held online for 30 s (RTM-4).
    public var presenceTimeout: UInt32 = 300
    /// In seconds. Without effect.
    public var heartbeatInterval: UInt32 = 5
    /// In seconds. Without effect: the SDK reconnects until a logout (RTM-3).
    public var reconnectTimeout: UInt32 = 0
    public var useStringUserId = true
    public var multipath = false
    public var ispPolicyEnabled = false
    public var logConfig: AgoraRtmLogConfig?

    public init(appId: String, userId: String) {
        self.appId = appId
        self.userId = userId
    }

    /// The form of versions before 2.2.
    public convenience override init() { self.init(appId: "", userId: "") }
}

/// Nothing is logged.
public final class AgoraRtmLogConfig: NSObject, @unchecked Sendable {
    public var filePath: String?
    /// In KB.
    public var fileSizeInKB: Int32 = 1024
    public var level = AgoraRtmLogLevel.info

    public override init() {}
}

/// The options of a subscription.
public final class AgoraRtmSubscribeOptions: NSObject, @unchecked Sendable {
    public var features: AgoraRtmSubscribeChannelFeature = .message

    public override init() {}
}

/// The options of a message.
public final class AgoraRtmPublishOptions: NSObject, @unchecked Sendable {
    public var channelType = AgoraRtmChannelType.message
    /// Without effect.
    public var customType = ""
    /// Without effect.
    public var storeInHistory = false

    public override init() {}
}
