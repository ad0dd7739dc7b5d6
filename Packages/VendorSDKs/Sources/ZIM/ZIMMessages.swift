import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A message. The SDK sets its properties when it is received or sent.
public class ZIMMessage: NSObject, @unchecked Sendable {
    public let type: ZIMMessageType
    /// A number made of its name in the machines; 0 before it is sent, and for a message that only this device has.
    public internal(set) var messageID: Int64 = 0
    /// Its number in local data; 0 before it is stored there.
    public internal(set) var localMessageID: Int64 = 0
    /// Its sequence number in the conversation; 0 before the server has assigned it.
    public internal(set) var messageSeq: Int64 = 0
    public internal(set) var senderUserID = ""
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.peer
    public internal(set) var direction = ZIMMessageDirection.send
    public internal(set) var sentStatus = ZIMMessageSentStatus.sending
    /// Milliseconds since 1970.
    public internal(set) var timestamp: UInt64 = 0
    public internal(set) var orderKey: Int64 = 0
    /// True if it was inserted on this device; no other device has it.
    public internal(set) var isUserInserted = false
    /// Only ``ZIMMessageReceiptStatus/none`` or ``ZIMMessageReceiptStatus/processing`` here; a query returns the
    /// receipts.
    public internal(set) var receiptStatus = ZIMMessageReceiptStatus.none
    public var extendedData = ""
    /// A note on this device; no other device has it.
    public var localExtendedData = ""
    public internal(set) var reactions: [ZIMMessageReaction] = []
    public var mentionedUserIDs: [String] = []
    public var isMentionAll = false
    /// Its name in the machines; empty if it has none.
    var name = "" {
        didSet { messageID = Self.number(of: name) }
    }

    init(type: ZIMMessageType) { self.type = type }

    /// Its text in the machines.
    var text: String { "" }

    /// Its key in local calls; empty for a message that was never sent.
    var key: String { name.isEmpty ? localMessageID == 0 ? "" : "#\(localMessageID)" : name }

    /// The vendor has numbers where the machines have names: numeric names stay, others are converted to a number.
    static func number(of name: String) -> Int64 {
        guard !name.isEmpty else { return 0 }
        if let number = Int64(name), number > 0 { return number }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(truncatingIfNeeded: hash >> 1)
    }
}

/// A text.
public class ZIMTextMessage: ZIMMessage, @unchecked Sendable {
    public var message: String

    public init(message: String) {
        self.message = message
        super.init(type: .text)
    }

    override var text: String { message }
}

/// A message in a format of the app's own.
public class ZIMCustomMessage: ZIMMessage, @unchecked Sendable {
    public var message: String
    public var searchedContent = ""
    /// Not transmitted here.
    public var subType: UInt32

    public init(message: String, subType: UInt32) {
        self.message = message
        self.subType = subType
        super.init(type: .custom)
    }

    override var text: String { message }
}

/// Bytes in a format of the app's own; UTF-8 here.
public class ZIMCommandMessage: ZIMMessage, @unchecked Sendable {
    public var message: Data

    public init(message: Data) {
        self.message = message
        super.init(type: .command)
    }

    override var text: String { String(bytes: message, encoding: .utf8) ?? "" }
}

/// A barrage comment.
public class ZIMBarrageMessage: ZIMMessage, @unchecked Sendable {
    public var message: String

    public init(message: String) {
        self.message = message
        super.init(type: .barrage)
    }

    override var text: String { message }
}

/// A message with a file. Its name and size are transmitted; the file itself is not.
public class ZIMMediaMessage: ZIMMessage, @unchecked Sendable {
    public var fileLocalPath = ""
    public var fileDownloadUrl = ""
    public var fileName = ""
    public internal(set) var fileSize: Int64 = 0
    public internal(set) var fileUID = ""

    init(type: ZIMMessageType, fileLocalPath: String) {
        self.fileLocalPath = fileLocalPath
        fileName = fileLocalPath.split(separator: "/").last.map(String.init) ?? ""
        super.init(type: type)
    }
}

public class ZIMImageMessage: ZIMMediaMessage, @unchecked Sendable {
    public init(fileLocalPath: String) { super.init(type: .image, fileLocalPath: fileLocalPath) }
}

public class ZIMFileMessage: ZIMMediaMessage, @unchecked Sendable {
    public init(fileLocalPath: String) { super.init(type: .file, fileLocalPath: fileLocalPath) }
}

public class ZIMAudioMessage: ZIMMediaMessage, @unchecked Sendable {
    /// In seconds; not transmitted here.
    public var audioDuration: UInt32

    public init(fileLocalPath: String, audioDuration: UInt32) {
        self.audioDuration = audioDuration
        super.init(type: .audio, fileLocalPath: fileLocalPath)
    }
}

public class ZIMVideoMessage: ZIMMediaMessage, @unchecked Sendable {
    /// In seconds; not transmitted here.
    public var videoDuration: UInt32

    public init(fileLocalPath: String, videoDuration: UInt32) {
        self.videoDuration = videoDuration
        super.init(type: .video, fileLocalPath: fileLocalPath)
    }
}

/// Several messages in one. A query returns its parts. One that an app makes cannot be sent here.
public class ZIMCombineMessage: ZIMMessage, @unchecked Sendable {
    public var title: String
    public var summary: String
    public internal(set) var combineID = ""
    public var messageList: [ZIMMessage]

    public init(title: String, summary: String, messageList: [ZIMMessage]) {
        self.title = title
        self.summary = summary
        self.messageList = messageList
        super.init(type: .combine)
    }

    override var text: String { title }
}

/// A message that its sender revoked.
public class ZIMRevokeMessage: ZIMMessage, @unchecked Sendable {
    /// Empty here.
    public internal(set) var operatedUserID = ""
    public internal(set) var revokeExtendedData = ""

    init() { super.init(type: .revoke) }
}

/// A notification of an event in a group, as a message.
public class ZIMTipsMessage: ZIMMessage, @unchecked Sendable {
    init() { super.init(type: .tips) }
}

/// Information about received messages.
public final class ZIMMessageReceivedInfo: NSObject, @unchecked Sendable {
    /// True if they were sent while the user was offline; here, if they come before the sync that follows a connection
    /// has ended.
    public internal(set) var isOfflineMessage = false
}

/// A message's new sending state.
public final class ZIMMessageSentStatusChangeInfo: NSObject, @unchecked Sendable {
    public let status: ZIMMessageSentStatus
    public let message: ZIMMessage
    public let reason = ""

    init(_ status: ZIMMessageSentStatus, _ message: ZIMMessage) {
        self.status = status
        self.message = message
    }
}

/// Deleted messages.
public final class ZIMMessageDeletedInfo: NSObject, @unchecked Sendable {
    /// Empty if messages were deleted one by one: the server does not send their conversation.
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var messageDeleteType = ZIMMessageDeleteType.messageListDeleted
    public internal(set) var isDeleteConversationAllMessage = false
    /// Only their ``ZIMMessage/messageID`` is set.
    public internal(set) var messageList: [ZIMMessage] = []
}

/// The receipts of a message.
public final class ZIMMessageReceiptInfo: NSObject, @unchecked Sendable {
    public internal(set) var status = ZIMMessageReceiptStatus.none
    public internal(set) var messageID: Int64 = 0
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var readMemberCount: UInt32 = 0
    public internal(set) var unreadMemberCount: UInt32 = 0
    public internal(set) var isSelfOperated = false
}

/// The reactions of one type to a message.
public final class ZIMMessageReaction: NSObject, @unchecked Sendable {
    public internal(set) var reactionType = ""
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var messageID: Int64 = 0
    public internal(set) var totalCount: UInt32 = 0
    /// Set only together with ``userList``.
    public internal(set) var isSelfIncluded = false
    /// Set in answers and callbacks about reactions; empty in those of a message.
    public internal(set) var userList: [ZIMMessageReactionUserInfo] = []
}

public final class ZIMMessageReactionUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
}
