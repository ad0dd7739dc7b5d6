import Foundation

// The parameters of calls. All objects of this module live on the job thread of virtual time, so they are Sendable.

/// The parameters of an instance.
public final class ZIMAppConfig: NSObject, @unchecked Sendable {
    /// Any number.
    public var appID: UInt32 = 0
    /// With one, a login needs no token (AppSign).
    public var appSign = ""
}

/// The folder and the size of the SDK's logs. The simulation writes no logs.
public final class ZIMLogConfig: NSObject, @unchecked Sendable {
    public var logPath = ""
    /// In bytes.
    public var logSize: UInt64 = 5 * 1024 * 1024
}

/// The folder of local data. Without effect here: local data is in the device's storage.
public final class ZIMCacheConfig: NSObject, @unchecked Sendable {
    public var cachePath = ""
}

/// The parameters of a login.
public final class ZIMLoginConfig: NSObject, @unchecked Sendable {
    /// The user's new name; empty to keep the current name.
    public var userName = ""
    /// Empty if the app has an AppSign. For an offline login, the token of the last login.
    public var token = ""
    /// True for an offline login, which needs only local data (ZIM-1).
    public var isOfflineLogin = false
    /// Without effect here.
    public var customStatus = ""
}

/// The push settings of a message; nothing is pushed here.
public final class ZIMPushConfig: NSObject, @unchecked Sendable {
    public var title = ""
    public var content = ""
    public var payload = ""
    public var resourcesID = ""
}

/// The settings of a message to send.
public final class ZIMMessageSendConfig: NSObject, @unchecked Sendable {
    public var pushConfig: ZIMPushConfig?
    public var priority = ZIMMessagePriority.low
    /// True to request a read receipt.
    public var hasReceipt = false
    public var isNotifyMentionedUsers = false
    public var isRetrySend = false
}

/// Receives notifications about a message that is being sent.
public final class ZIMMessageSendNotification: NSObject, @unchecked Sendable {
    /// Called before the message is sent, with the message as local data has it.
    public var onMessageAttached: ZIMMessageAttachedCallback?
}

/// The settings of a message revocation.
public final class ZIMMessageRevokeConfig: NSObject, @unchecked Sendable {
    public var pushConfig: ZIMPushConfig?
    public var revokeExtendedData = ""
}

/// The parameters of a history query.
public final class ZIMMessageQueryConfig: NSObject, @unchecked Sendable {
    /// The end of the previous page: its first message if `reverse` is true, otherwise its last one. Nil for the first
    /// page.
    public var nextMessage: ZIMMessage?
    /// 1 to 100.
    public var count: UInt32 = 0
    /// True to query backwards from the latest message.
    public var reverse = false
    public var mode = ZIMMessageQueryMode.general
}

/// The parameters of a message search.
public final class ZIMMessageSearchConfig: NSObject, @unchecked Sendable {
    /// The value that the previous page returned; nil for the first page.
    public var nextMessage: ZIMMessage?
    /// 1 to 100.
    public var count: UInt32 = 0
    public var order = ZIMMessageOrder.descending
    /// All of them must occur.
    public var keywords: [String] = []
    public var messageTypes: [NSNumber] = []
    /// Without effect here.
    public var subMessageTypes: [NSNumber] = []
    public var senderUserIDs: [String] = []
    /// Milliseconds since 1970; 0 for any.
    public var startTime: Int64 = 0
    public var endTime: Int64 = 0
}

/// The settings of a message deletion.
public final class ZIMMessageDeleteConfig: NSObject, @unchecked Sendable {
    /// True to delete on the server too, which needs the network (ZIM-9, rule 2).
    public var isAlsoDeleteServerMessage = false
}

/// The parameters of a query for the users of a reaction.
public final class ZIMMessageReactionUserQueryConfig: NSObject, @unchecked Sendable {
    public var nextFlag: UInt64 = 0
    public var count: UInt32 = 0
    public var reactionType = ""
}

/// The parameters of a query for the members that have or have not read a message.
public final class ZIMGroupMessageReceiptMemberQueryConfig: NSObject, @unchecked Sendable {
    public var nextFlag: UInt32 = 0
    public var count: UInt32 = 0
}

/// An export has no settings.
public final class ZIMMessageExportConfig: NSObject, @unchecked Sendable {}

/// An import has no settings.
public final class ZIMMessageImportConfig: NSObject, @unchecked Sendable {}

/// The parameters of a conversation query.
public final class ZIMConversationQueryConfig: NSObject, @unchecked Sendable {
    /// The last conversation of the previous page; nil for the first page.
    public var nextConversation: ZIMConversation?
    /// 1 to 100.
    public var count: UInt32 = 0
}

/// A filter for a list of conversations.
public final class ZIMConversationFilterOption: NSObject, @unchecked Sendable {
    /// Without effect here.
    public var marks: [NSNumber] = []
    public var conversationTypes: [NSNumber] = []
    public var isOnlyUnreadConversation = false
    public var pinnedFilter = ZIMConversationPinnedFilter.all
}

/// The parameters of a conversation search.
public final class ZIMConversationSearchConfig: NSObject, @unchecked Sendable {
    public var mode = ZIMConversationSearchMode.matchMessage
    public var nextFlag: UInt32 = 0
    /// The maximum number of conversations of a page, 1 to 100.
    public var totalConversationCount: UInt32 = 0
    /// The maximum number of messages of each conversation, 1 to 100.
    public var conversationMessageCount: UInt32 = 0
    /// All of them must occur.
    public var keywords: [String] = []
    public var messageTypes: [NSNumber] = []
    /// Without effect here.
    public var subMessageTypes: [NSNumber] = []
    public var senderUserIDs: [String] = []
    /// Milliseconds since 1970; 0 for any.
    public var startTime: Int64 = 0
    public var endTime: Int64 = 0
}

/// The settings of a conversation deletion.
public final class ZIMConversationDeleteConfig: NSObject, @unchecked Sendable {
    /// True to delete on the server too, which needs the network (ZIM-9, rule 2).
    public var isAlsoDeleteServerConversation = false
}

/// The files to delete.
public final class ZIMFileCacheClearConfig: NSObject, @unchecked Sendable {
    /// Deletes the files that were downloaded up to this time, in milliseconds since 1970.
    public var endTime: Int64 = 0
}

/// The files to count.
public final class ZIMFileCacheQueryConfig: NSObject, @unchecked Sendable {
    /// Counts the files that were downloaded up to this time, in milliseconds since 1970; 0 for all.
    public var endTime: Int64 = 0
}

/// The source of a user query.
public final class ZIMUsersInfoQueryConfig: NSObject, @unchecked Sendable {
    /// True to query the server, which needs the network (ZIM-9, rule 2).
    public var isQueryFromServer = false
}

/// A page of a list.
public final class ZIMBlacklistQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// A page of a list.
public final class ZIMFriendListQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// A page of a list.
public final class ZIMFriendApplicationListQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// The parameters of a friend search.
public final class ZIMFriendSearchConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
    public var keywords: [String] = []
    public var isAlsoMatchFriendAlias = false
}

/// The parameters of an added friend.
public final class ZIMFriendAddConfig: NSObject, @unchecked Sendable {
    public var friendAlias = ""
    public var wording = ""
    public var friendAttributes: [String: String] = [:]
}

/// The settings of a friend deletion.
public final class ZIMFriendDeleteConfig: NSObject, @unchecked Sendable {
    public var type = ZIMFriendDeleteType.both
}

/// The parameters of a friend application.
public final class ZIMFriendApplicationSendConfig: NSObject, @unchecked Sendable {
    public var wording = ""
    public var friendAlias = ""
    public var friendAttributes: [String: String] = [:]
}

/// The parameters of an acceptance of a friend application.
public final class ZIMFriendApplicationAcceptConfig: NSObject, @unchecked Sendable {
    public var friendAlias = ""
    public var friendAttributes: [String: String] = [:]
}

/// The parameters of a rejection of a friend application.
public final class ZIMFriendApplicationRejectConfig: NSObject, @unchecked Sendable {
    public var pushConfig = ZIMPushConfig()
}

/// The settings of a status subscription.
public final class ZIMUserStatusSubscribeConfig: NSObject, @unchecked Sendable {
    /// In minutes. Here a subscription lasts as long as the login.
    public var subscriptionDuration: UInt32 = 0
}

/// A page of a list.
public final class ZIMGroupApplicationListQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// The parameters of a group search.
public final class ZIMGroupSearchConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
    public var keywords: [String] = []
    public var isAlsoMatchGroupMemberUserName = false
    public var isAlsoMatchGroupMemberNickname = false
}

/// A page of a list.
public final class ZIMGroupMemberQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// The parameters of a search for group members.
public final class ZIMGroupMemberSearchConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
    public var keywords: [String] = []
    public var isAlsoMatchGroupMemberNickname = false
}

/// A page of a list.
public final class ZIMGroupMemberMutedListQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt64 = 0
}

/// The parameters of a new group.
public final class ZIMGroupAdvancedConfig: NSObject, @unchecked Sendable {
    public var groupNotice = ""
    public var groupAttributes: [String: String]?
    public var maxMemberCount: UInt32 = 0
}

/// A page of a list.
public final class ZIMCallInvitationQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: Int64 = 0
}
