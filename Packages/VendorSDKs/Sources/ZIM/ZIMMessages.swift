import Foundation

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// A message. What the SDK says of it is there once it came or was sent.
public class ZIMMessage: NSObject, @unchecked Sendable {
    public let type: ZIMMessageType
    /// A number made of the name that the machines have for it; 0 before it is sent, and for one that is here only.
    public internal(set) var messageID: Int64 = 0
    /// The number that local data gave it; 0 before it is there.
    public internal(set) var localMessageID: Int64 = 0
    /// Its place in the conversation, by the server; 0 before the server has said it.
    public internal(set) var messageSeq: Int64 = 0
    public internal(set) var senderUserID = ""
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.peer
    public internal(set) var direction = ZIMMessageDirection.send
    public internal(set) var sentStatus = ZIMMessageSentStatus.sending
    /// Milliseconds since 1970.
    public internal(set) var timestamp: UInt64 = 0
    public internal(set) var orderKey: Int64 = 0
    /// Put in on this device, and known nowhere else.
    public internal(set) var isUserInserted = false
    /// Never more than ``ZIMMessageReceiptStatus/none`` or ``ZIMMessageReceiptStatus/processing`` here; the receipts
    /// have to be asked for.
    public internal(set) var receiptStatus = ZIMMessageReceiptStatus.none
    public var extendedData = ""
    /// Noted on this device, and known nowhere else.
    public var localExtendedData = ""
    public internal(set) var reactions: [ZIMMessageReaction] = []
    public var mentionedUserIDs: [String] = []
    public var isMentionAll = false
    /// The name that the machines have for it; empty where it has none.
    var name = "" {
        didSet { messageID = Self.number(of: name) }
    }

    init(type: ZIMMessageType) { self.type = type }

    /// What it says, as machines know it.
    var text: String { "" }

    /// As local calls name it; empty for one that was never sent.
    var key: String { name.isEmpty ? localMessageID == 0 ? "" : "#\(localMessageID)" : name }

    /// The vendor has numbers where the machines have names: those that are numbers stay, others become some.
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

/// What only the app understands.
public class ZIMCustomMessage: ZIMMessage, @unchecked Sendable {
    public var message: String
    public var searchedContent = ""
    /// Does not reach others here.
    public var subType: UInt32

    public init(message: String, subType: UInt32) {
        self.message = message
        self.subType = subType
        super.init(type: .custom)
    }

    override var text: String { message }
}

/// Bytes that only the app understands; UTF-8, here.
public class ZIMCommandMessage: ZIMMessage, @unchecked Sendable {
    public var message: Data

    public init(message: Data) {
        self.message = message
        super.init(type: .command)
    }

    override var text: String { String(bytes: message, encoding: .utf8) ?? "" }
}

/// A text that passes by.
public class ZIMBarrageMessage: ZIMMessage, @unchecked Sendable {
    public var message: String

    public init(message: String) {
        self.message = message
        super.init(type: .barrage)
    }

    override var text: String { message }
}

/// A message with a file. Its name and size travel; the file itself does not.
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
    /// In seconds; does not reach others here.
    public var audioDuration: UInt32

    public init(fileLocalPath: String, audioDuration: UInt32) {
        self.audioDuration = audioDuration
        super.init(type: .audio, fileLocalPath: fileLocalPath)
    }
}

public class ZIMVideoMessage: ZIMMediaMessage, @unchecked Sendable {
    /// In seconds; does not reach others here.
    public var videoDuration: UInt32

    public init(fileLocalPath: String, videoDuration: UInt32) {
        self.videoDuration = videoDuration
        super.init(type: .video, fileLocalPath: fileLocalPath)
    }
}

/// Several messages in one. Its parts have to be asked for; one that an app makes cannot be sent here.
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

/// A message that its sender took back.
public class ZIMRevokeMessage: ZIMMessage, @unchecked Sendable {
    /// Empty here.
    public internal(set) var operatedUserID = ""
    public internal(set) var revokeExtendedData = ""

    init() { super.init(type: .revoke) }
}

/// What has happened in a group, told as a message.
public class ZIMTipsMessage: ZIMMessage, @unchecked Sendable {
    init() { super.init(type: .tips) }
}

/// What came with messages.
public final class ZIMMessageReceivedInfo: NSObject, @unchecked Sendable {
    /// Whether they came while the user was away: before the sync that follows a connection has ended, here.
    public internal(set) var isOfflineMessage = false
}

/// How far a message has come now.
public final class ZIMMessageSentStatusChangeInfo: NSObject, @unchecked Sendable {
    public let status: ZIMMessageSentStatus
    public let message: ZIMMessage
    public let reason = ""

    init(_ status: ZIMMessageSentStatus, _ message: ZIMMessage) {
        self.status = status
        self.message = message
    }
}

/// Which messages are gone.
public final class ZIMMessageDeletedInfo: NSObject, @unchecked Sendable {
    /// Empty where messages were deleted one by one: the server does not say of which conversation.
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var messageDeleteType = ZIMMessageDeleteType.messageListDeleted
    public internal(set) var isDeleteConversationAllMessage = false
    /// Of them only ``ZIMMessage/messageID`` is known.
    public internal(set) var messageList: [ZIMMessage] = []
}

/// Who has read a message.
public final class ZIMMessageReceiptInfo: NSObject, @unchecked Sendable {
    public internal(set) var status = ZIMMessageReceiptStatus.none
    public internal(set) var messageID: Int64 = 0
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var readMemberCount: UInt32 = 0
    public internal(set) var unreadMemberCount: UInt32 = 0
    public internal(set) var isSelfOperated = false
}

/// What others made of a message, of one kind.
public final class ZIMMessageReaction: NSObject, @unchecked Sendable {
    public internal(set) var reactionType = ""
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    public internal(set) var messageID: Int64 = 0
    public internal(set) var totalCount: UInt32 = 0
    /// Known where users are.
    public internal(set) var isSelfIncluded = false
    /// Known in answers and callbacks about reactions; empty in those of a message.
    public internal(set) var userList: [ZIMMessageReactionUserInfo] = []
}

public final class ZIMMessageReactionUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
}
