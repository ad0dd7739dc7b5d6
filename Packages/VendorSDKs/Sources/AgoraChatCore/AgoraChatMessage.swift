import Foundation

/// The content of a message.
///
/// Messages and their contents are used on the job thread of virtual time alone.
public class AgoraChatMessageBody: NSObject, @unchecked Sendable {
    public let type: AgoraChatMessageBodyType

    init(type: AgoraChatMessageBodyType) { self.type = type }
}

/// A text.
public final class AgoraChatTextMessageBody: AgoraChatMessageBody, @unchecked Sendable {
    public let text: String

    public init(text aText: String) {
        text = aText
        super.init(type: .text)
    }
}

/// A command between apps; it cannot be sent here.
public final class AgoraChatCmdMessageBody: AgoraChatMessageBody, @unchecked Sendable {
    public let action: String

    public init(action aAction: String) {
        action = aAction
        super.init(type: .cmd)
    }
}

/// Content of the app's own; it cannot be sent here.
public final class AgoraChatCustomMessageBody: AgoraChatMessageBody, @unchecked Sendable {
    public let event: String
    // As the header has it, without a word on nil.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public let customExt: [String: String]!

    public init(event aEvent: String, customExt aCustomExt: [String: String]?) {
        event = aEvent
        customExt = aCustomExt
        super.init(type: .custom)
    }
}

/// A message.
public final class AgoraChatMessage: NSObject, @unchecked Sendable {
    /// A name of this process until the message has been sent; then the id that the receivers get.
    public var messageId: String
    public var conversationId: String
    public var direction: AgoraChatMessageDirection
    public var from: String
    public var to: String
    /// The time at which it was received or made, by the device's clock, in milliseconds.
    public var timestamp: Int64
    public var localTime: Int64
    public var chatType = AgoraChatType.chat
    public var status = AgoraChatMessageStatus.pending
    public var isReadAcked = false
    public var isDeliverAcked = false
    public var isRead = false
    public var body: AgoraChatMessageBody
    /// Without effect: a message to an offline user is kept.
    public var deliverOnlineOnly = false
    public var isNeedGroupAck = false
    public var isChatThreadMessage = false
    public var receiverList: [String]?
    /// Stays on this device: only texts are transmitted.
    public var ext: [AnyHashable: Any]?

    public init(
        conversationID aConversationId: String, from aFrom: String, to aTo: String, body aBody: AgoraChatMessageBody,
        ext aExt: [AnyHashable: Any]?
    ) {
        messageId = AgoraChatClient.shared().core.makeLocalID()
        conversationId = aConversationId
        direction = .send
        from = aFrom
        to = aTo
        timestamp = Int64(Date().timeIntervalSince1970 * 1000)
        localTime = timestamp
        body = aBody
        ext = aExt
    }

    public convenience init(
        conversationID aConversationId: String, body aBody: AgoraChatMessageBody, ext aExt: [AnyHashable: Any]?
    ) {
        self.init(
            conversationID: aConversationId, from: AgoraChatClient.shared().currentUsername ?? "",
            to: aConversationId, body: aBody, ext: aExt)
    }

    /// A stored or received message.
    init(id: String, of conversation: String, from: String, to: String, text: String, isOwn: Bool, at time: Int64) {
        messageId = id
        conversationId = conversation
        direction = isOwn ? .send : .receive
        self.from = from
        self.to = to
        timestamp = time
        localTime = time
        status = .succeed
        body = AgoraChatTextMessageBody(text: text)
    }
}
