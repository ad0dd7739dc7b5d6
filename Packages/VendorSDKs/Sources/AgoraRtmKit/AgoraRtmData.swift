import Foundation
import IMProtocol

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// A message, of text; see ``AgoraRtmRawMessage``.
public class AgoraRtmMessage: NSObject, @unchecked Sendable {
    public internal(set) var type = AgoraRtmMessageType.text
    /// At most 32 KB.
    public var text: String
    /// When it came, in milliseconds since 1970 by the device's clock: the simulated server writes none on it. 0 for
    /// one to be sent.
    public internal(set) var serverReceivedTs: Int64 = 0
    /// Whether it waited at the server; never known here.
    public internal(set) var isOfflineMessage = false

    /// A message to be sent.
    public init(text: String) { self.text = text }

    init(received text: String, at date: Date) {
        self.text = text
        serverReceivedTs = Int64(date.timeIntervalSince1970 * 1000)
    }
}

/// A message of bytes. The simulated server carries text alone: sending one fails with `invalidMessage`.
public final class AgoraRtmRawMessage: AgoraRtmMessage, @unchecked Sendable {
    public var rawData: Data

    /// A message to be sent, with a text that describes it.
    public init(rawData: Data, description: String) {
        self.rawData = rawData
        super.init(text: description)
        type = .raw
    }
}

/// How a message is sent. The simulated server keeps every message for a user who is not there, whatever is asked.
public final class AgoraRtmSendMessageOptions: NSObject, @unchecked Sendable {
    /// Without effect; the vendor withdrew it with 1.5.0.
    public var enableOfflineMessaging = false
    /// Without effect; the vendor withdrew it with 1.5.0.
    public var enableHistoricalMessaging = false

    public override init() {}
}

/// A member of a channel.
public final class AgoraRtmMember: NSObject, @unchecked Sendable {
    public var userId: String
    public var channelId: String

    init(_ userId: String, in channelId: String) {
        self.userId = userId
        self.channelId = channelId
    }
}

/// How many are in a channel.
public final class AgoraRtmChannelMemberCount: NSObject, @unchecked Sendable {
    public var channelId: String
    /// 0 also where there is no such channel.
    public var count: Int32

    init(_ channelId: String, count: Int) {
        self.channelId = channelId
        self.count = Int32(clamping: count)
    }
}

/// Whether a user is there.
public final class AgoraRtmPeerOnlineStatus: NSObject, @unchecked Sendable {
    public var peerId: String
    /// As older versions say it.
    public var isOnline: Bool
    public let state: AgoraRtmPeerOnlineState

    init(_ peerId: String, _ state: AgoraRtmPeerOnlineState) {
        self.peerId = peerId
        isOnline = state == .online
        self.state = state
    }
}

/// A named value of a user.
public final class AgoraRtmAttribute: NSObject, @unchecked Sendable {
    /// At most 32 bytes.
    public var key = ""
    /// At most 8 KB.
    public var value = ""

    public override init() {}

    convenience init(_ field: AnswerField) {
        self.init()
        key = field.name
        value = field.value
    }

    var field: AnswerField { AnswerField(name: key, value: value) }
}

/// A named value of a channel.
public final class AgoraRtmChannelAttribute: NSObject, @unchecked Sendable {
    /// At most 32 bytes.
    public var key = ""
    /// At most 8 KB.
    public var value = ""
    /// Who changed it last; empty, because the simulated server does not say.
    public var lastUpdateUserId = ""
    /// When it was changed last, in milliseconds since 1970; 0, because the simulated server does not say.
    public internal(set) var lastUpdateTs: Int64 = 0

    public override init() {}

    convenience init(_ field: AnswerField) {
        self.init()
        key = field.name
        value = field.value
    }

    var field: AnswerField { AnswerField(name: key, value: value) }
}

/// How a channel's attributes are changed.
public final class AgoraRtmChannelAttributeOptions: NSObject, @unchecked Sendable {
    /// Without effect: the simulated server tells no member.
    public var enableNotificationToChannelMembers = false

    public override init() {}
}
