import Foundation

// What calls are made with. As all objects of this module they live on the job thread of virtual time, which is why
// they are Sendable.

/// What an instance is made with.
public final class ZIMAppConfig: NSObject, @unchecked Sendable {
    /// Any number.
    public var appID: UInt32 = 0
    /// With one, a login needs no token (AppSign).
    public var appSign = ""
}

/// Where logs go. Nothing is logged here.
public final class ZIMLogConfig: NSObject, @unchecked Sendable {
    public var logPath = ""
    /// In bytes.
    public var logSize: UInt64 = 5 * 1024 * 1024
}

/// Where local data is. It is the device's here.
public final class ZIMCacheConfig: NSObject, @unchecked Sendable {
    public var cachePath = ""
}

/// What a login is made with.
public final class ZIMLoginConfig: NSObject, @unchecked Sendable {
    /// What the user is called from now on; empty to keep the name.
    public var userName = ""
    /// Empty for an app that has an AppSign; for an offline login, that of the last one.
    public var token = ""
    /// Whether local data is enough to begin with (ZIM-1).
    public var isOfflineLogin = false
    /// Without effect here.
    public var customStatus = ""
}

/// How a message is pushed; nothing is pushed here.
public final class ZIMPushConfig: NSObject, @unchecked Sendable {
    public var title = ""
    public var content = ""
    public var payload = ""
    public var resourcesID = ""
}

/// How a message is sent.
public final class ZIMMessageSendConfig: NSObject, @unchecked Sendable {
    public var pushConfig: ZIMPushConfig?
    public var priority = ZIMMessagePriority.low
    /// Whether the sender wants to know who has read it.
    public var hasReceipt = false
    public var isNotifyMentionedUsers = false
    public var isRetrySend = false
}

/// Is told of a message that is being sent.
public final class ZIMMessageSendNotification: NSObject, @unchecked Sendable {
    /// Is called before it is sent, with the message as local data has it.
    public var onMessageAttached: ZIMMessageAttachedCallback?
}

/// How a message is taken back.
public final class ZIMMessageRevokeConfig: NSObject, @unchecked Sendable {
    public var pushConfig: ZIMPushConfig?
    public var revokeExtendedData = ""
}

/// Which history is asked for.
public final class ZIMMessageQueryConfig: NSObject, @unchecked Sendable {
    /// Where the page before ended: its first one where it is to be reversed, and else its last one. Nil for the first
    /// page.
    public var nextMessage: ZIMMessage?
    /// 1 to 100.
    public var count: UInt32 = 0
    /// From the latest message back.
    public var reverse = false
    public var mode = ZIMMessageQueryMode.general
}

/// Which messages are looked for.
public final class ZIMMessageSearchConfig: NSObject, @unchecked Sendable {
    /// As the page before said it; nil for the first page.
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

/// What is deleted.
public final class ZIMMessageDeleteConfig: NSObject, @unchecked Sendable {
    /// On the server too, which needs the network (ZIM-9, rule 2).
    public var isAlsoDeleteServerMessage = false
}

/// Which reactions are asked for.
public final class ZIMMessageReactionUserQueryConfig: NSObject, @unchecked Sendable {
    public var nextFlag: UInt64 = 0
    public var count: UInt32 = 0
    public var reactionType = ""
}

/// Which members are asked for.
public final class ZIMGroupMessageReceiptMemberQueryConfig: NSObject, @unchecked Sendable {
    public var nextFlag: UInt32 = 0
    public var count: UInt32 = 0
}

/// An export has no settings.
public final class ZIMMessageExportConfig: NSObject, @unchecked Sendable {}

/// An import has no settings.
public final class ZIMMessageImportConfig: NSObject, @unchecked Sendable {}

/// Which conversations are asked for.
public final class ZIMConversationQueryConfig: NSObject, @unchecked Sendable {
    /// The last one of the page before; nil for the first page.
    public var nextConversation: ZIMConversation?
    /// 1 to 100.
    public var count: UInt32 = 0
}

/// Which conversations a list is to have.
public final class ZIMConversationFilterOption: NSObject, @unchecked Sendable {
    /// Without effect here.
    public var marks: [NSNumber] = []
    public var conversationTypes: [NSNumber] = []
    public var isOnlyUnreadConversation = false
    public var pinnedFilter = ZIMConversationPinnedFilter.all
}

/// Which conversations are looked for.
public final class ZIMConversationSearchConfig: NSObject, @unchecked Sendable {
    public var mode = ZIMConversationSearchMode.matchMessage
    public var nextFlag: UInt32 = 0
    /// Of a page: 1 to 100.
    public var totalConversationCount: UInt32 = 0
    /// Of each conversation: 1 to 100.
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

/// What is deleted.
public final class ZIMConversationDeleteConfig: NSObject, @unchecked Sendable {
    /// On the server too, which needs the network (ZIM-9, rule 2).
    public var isAlsoDeleteServerConversation = false
}

/// Which files go.
public final class ZIMFileCacheClearConfig: NSObject, @unchecked Sendable {
    /// Those that were downloaded up to then, milliseconds since 1970.
    public var endTime: Int64 = 0
}

/// Which files are asked for.
public final class ZIMFileCacheQueryConfig: NSObject, @unchecked Sendable {
    /// Those that were downloaded up to then, milliseconds since 1970; 0 for all.
    public var endTime: Int64 = 0
}

/// Where users are looked for.
public final class ZIMUsersInfoQueryConfig: NSObject, @unchecked Sendable {
    /// On the server, which needs the network (ZIM-9, rule 2).
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

/// Which friends are looked for.
public final class ZIMFriendSearchConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
    public var keywords: [String] = []
    public var isAlsoMatchFriendAlias = false
}

/// What a friend is added with.
public final class ZIMFriendAddConfig: NSObject, @unchecked Sendable {
    public var friendAlias = ""
    public var wording = ""
    public var friendAttributes: [String: String] = [:]
}

/// How a friend is deleted.
public final class ZIMFriendDeleteConfig: NSObject, @unchecked Sendable {
    public var type = ZIMFriendDeleteType.both
}

/// What an application says.
public final class ZIMFriendApplicationSendConfig: NSObject, @unchecked Sendable {
    public var wording = ""
    public var friendAlias = ""
    public var friendAttributes: [String: String] = [:]
}

/// What an application is accepted with.
public final class ZIMFriendApplicationAcceptConfig: NSObject, @unchecked Sendable {
    public var friendAlias = ""
    public var friendAttributes: [String: String] = [:]
}

/// What an application is rejected with.
public final class ZIMFriendApplicationRejectConfig: NSObject, @unchecked Sendable {
    public var pushConfig = ZIMPushConfig()
}

/// How long somebody's status is told.
public final class ZIMUserStatusSubscribeConfig: NSObject, @unchecked Sendable {
    /// In minutes; as long as the login, here.
    public var subscriptionDuration: UInt32 = 0
}

/// A page of a list.
public final class ZIMGroupApplicationListQueryConfig: NSObject, @unchecked Sendable {
    public var count: UInt32 = 0
    public var nextFlag: UInt32 = 0
}

/// Which groups are looked for.
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

/// Which members are looked for.
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

/// What a group is made with.
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
