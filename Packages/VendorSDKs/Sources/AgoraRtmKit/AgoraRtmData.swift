import Foundation
import IMProtocol

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A text message; see ``AgoraRtmRawMessage`` for bytes.
public class AgoraRtmMessage: NSObject, @unchecked Sendable {
    public internal(set) var type = AgoraRtmMessageType.text
    /// At most 32 KB.
    public var text: String
    /// The time of arrival, in milliseconds since 1970 by the device's clock: the simulated server sends none. 0 for a
    /// message to be sent.
    public internal(set) var serverReceivedTs: Int64 = 0
    /// True if it waited at the server. Always false here.
    public internal(set) var isOfflineMessage = false

    /// The text of a message of RTM 2. Nil if it has bytes.
    public var stringData: String? {
        get { rawData == nil ? text : nil }
        set { text = newValue ?? "" }
    }
    /// The bytes of a message of RTM 2. Nil if it has a text.
    public var rawData: Data? { DataURL.data(in: text) }

    /// A message to be sent.
    public init(text: String) { self.text = text }

    /// An empty message of RTM 2.
    public convenience override init() { self.init(text: "") }

    init(received text: String, at date: Date) {
        self.text = text
        serverReceivedTs = Int64(date.timeIntervalSince1970 * 1000)
    }
}

/// A message of bytes. The simulated server transmits only text: sending one fails with `invalidMessage`.
public final class AgoraRtmRawMessage: AgoraRtmMessage, @unchecked Sendable {
    private var bytes: Data
    public override var rawData: Data {
        get { bytes }
        set { bytes = newValue }
    }

    /// A message to be sent, with a text that describes it.
    public init(rawData: Data, description: String) {
        bytes = rawData
        super.init(text: description)
        type = .raw
    }
}

/// The options of sending a message. The simulated server keeps every message for an offline user, whatever the
/// options.
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

    /// A member whose names are set later.
    public convenience override init() { self.init("", in: "") }

    init(_ userId: String, in channelId: String) {
        self.userId = userId
        self.channelId = channelId
    }
}

/// The number of members of a channel.
public final class AgoraRtmChannelMemberCount: NSObject, @unchecked Sendable {
    public var channelId: String
    /// 0 also if there is no such channel.
    public var count: Int32

    init(_ channelId: String, count: Int) {
        self.channelId = channelId
        self.count = Int32(clamping: count)
    }
}

/// The online status of a user.
public final class AgoraRtmPeerOnlineStatus: NSObject, @unchecked Sendable {
    public var peerId: String
    /// The status in the form of older versions.
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
    /// The user who changed it last. Empty, because the simulated server does not send it.
    public var lastUpdateUserId = ""
    /// The time of the last change, in milliseconds since 1970. 0, because the simulated server does not send it.
    public internal(set) var lastUpdateTs: Int64 = 0

    public override init() {}

    convenience init(_ field: AnswerField) {
        self.init()
        key = field.name
        value = field.value
    }

    var field: AnswerField { AnswerField(name: key, value: value) }
}

/// The options of a change of channel attributes.
public final class AgoraRtmChannelAttributeOptions: NSObject, @unchecked Sendable {
    /// Without effect: the simulated server does not notify members.
    public var enableNotificationToChannelMembers = false

    public override init() {}
}
