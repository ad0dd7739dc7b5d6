import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A conversation in local data.
public class ZIMConversation: NSObject, @unchecked Sendable {
    public internal(set) var conversationID = ""
    public internal(set) var type = ZIMConversationType.unknown
    public internal(set) var conversationName = ""
    public internal(set) var conversationAlias = ""
    /// Empty here.
    public internal(set) var conversationAvatarUrl = ""
    public internal(set) var notificationStatus = ZIMConversationNotificationStatus.notify
    public internal(set) var unreadMessageCount: UInt32 = 0
    public internal(set) var lastMessage: ZIMMessage?
    public internal(set) var orderKey: Int64 = 0
    public internal(set) var isPinned = false
    public internal(set) var draft = ""
    public internal(set) var marks: [NSNumber] = []
    /// The position at which the next page continues, if this is the end of a page. Nil for a conversation from
    /// elsewhere.
    var pagePosition: String?
}

/// A change of a conversation.
public final class ZIMConversationChangeInfo: NSObject, @unchecked Sendable {
    public let event: ZIMConversationEvent
    public let conversation: ZIMConversation

    init(_ event: ZIMConversationEvent, _ conversation: ZIMConversation) {
        self.event = event
        self.conversation = conversation
    }
}

/// A conversation with search results.
public final class ZIMConversationSearchInfo: NSObject, @unchecked Sendable {
    public internal(set) var conversationID = ""
    public internal(set) var conversationType = ZIMConversationType.unknown
    /// From a later 2.x version.
    public internal(set) var conversation = ZIMConversation()
    public internal(set) var totalMessageCount: UInt32 = 0
    public internal(set) var messageList: [ZIMMessage] = []
}

/// The size of downloaded files.
public final class ZIMFileCacheInfo: NSObject, @unchecked Sendable {
    /// In bytes.
    public internal(set) var totalFileSize: Int64 = 0
}

/// A call invitation.
public final class ZIMCallInfo: NSObject, @unchecked Sendable {
    public internal(set) var callID = ""
    public internal(set) var caller = ""
    public internal(set) var inviter = ""
    /// Milliseconds since 1970.
    public internal(set) var createTime: Int64 = 0
    /// 0 while the call continues.
    public internal(set) var endTime: Int64 = 0
    public internal(set) var state = ZIMCallState.unknown
    public internal(set) var mode = ZIMCallInvitationMode.general
    public internal(set) var extendedData = ""
    public internal(set) var callUserList: [ZIMCallUserInfo] = []
}

public final class ZIMCallUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
}

/// The content of a call invitation.
public final class ZIMCallInvitationReceivedInfo: NSObject, @unchecked Sendable {
    public internal(set) var mode = ZIMCallInvitationMode.general
    public internal(set) var caller = ""
    public internal(set) var inviter = ""
    public internal(set) var createTime: Int64 = 0
    public internal(set) var callUserList: [ZIMCallUserInfo] = []
    public internal(set) var extendedData = ""
}
