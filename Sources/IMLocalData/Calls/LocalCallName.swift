import OrderedCollections

/// A local call under another name than ``LocalCall`` has for it, mostly that of another vendor, with that vendor's words for what it takes. The call is the
/// one that ``LocalCall`` has: what it answers and what is wrong with its arguments is said there.
public struct LocalCallName: Hashable, Sendable {
    /// The profile of the vendor.
    public let profile: String
    /// The first word of the vendor's selector.
    public let name: String
    /// What is called.
    public let call: LocalCall
    /// The vendor's words for arguments, each with ours; the others are ours.
    private let words: OrderedDictionary<String, String>

    /// The name of a vendor; nil where none has such a call.
    public init?(_ name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Our name for an argument that stands there in the vendor's word.
    public func argument(_ word: String) -> String { words[word] ?? word }

    /// The vendor's word for an argument of ours.
    public func word(for argument: String) -> String { words.first { $0.value == argument }?.key ?? argument }

    private init(_ profile: String, _ name: String, _ call: LocalCall, _ words: OrderedDictionary<String, String> = [:])
    {
        self.profile = profile
        self.name = name
        self.call = call
        self.words = words
    }

    /// Every name of another vendor. No two are alike.
    public static let all: [LocalCallName] = [
        // The vendor's list leaves a part of these out; its reference has them whole.
        Self("zim", "checkUserIsInBlacklistByUserID", .checkUserIsInBlackList),
        Self("zim", "deleteAllConversationMessagesWithConfig", .deleteAllConversationMessages),
        Self("zim", "queryCombineMessageDetailByMessage", .queryCombineMessageDetail),
        Self("nim", "allRecentSessions", .queryConversationList, ["limit": "count"]),
        Self("nim", "recentSessionBySession", .queryConversation, session),
        Self("nim", "messagesInSession", .queryHistoryMessage, session.merging(["limit": "count"]) { $1 }),
        Self("nim", "searchMessages", .searchLocalMessages, session.merging(search) { $1 }),
        Self("nim", "searchAllMessages", .searchGlobalLocalMessages, search),
        Self(
            "nim", "saveMessage", .insertMessageToLocalDB,
            session.merging(["text": "message", "from": "senderUserID"]) { $1 }),
        Self("nim", "deleteMessage", .deleteMessages, session.merging(["message": "messageList"]) { $1 }),
        Self("nim", "deleteAllmessagesInSession", .deleteAllMessage, session),
        Self("nim", "deleteAllMessages", .deleteAllConversationMessages),
        Self("nim", "deleteRecentSession", .deleteConversation, session),
        Self("nim", "markAllMessagesRead", .clearConversationTotalUnreadMessageCount),
        Self("nim", "markAllMessagesReadInSession", .clearConversationUnreadMessageCount, session),
        Self("nim", "myFriends", .queryFriendList),
        Self("nim", "myBlackList", .queryBlacklist),
        Self("nim", "isUserInBlackList", .checkUserIsInBlackList, ["user": "userID"]),
        Self("nim", "userInfo", .queryUsersInfo, ["user": "userIDs"]),
        Self("nim", "allMyTeams", .queryGroupList),
        Self("nim", "teamById", .queryGroupInfo, ["team": "groupID"]),
        Self("agora-chat", "getAllConversations", .queryConversationList),
        Self("agora-chat", "getConversation", .queryConversation, conversation),
        Self("agora-chat", "loadMessagesStartFromId", .queryHistoryMessage, conversation),
        Self(
            "agora-chat", "loadMessagesWithKeyword", .searchLocalMessages,
            conversation.merging(["keyword": "keywords", "fromUser": "senderUserIDs"]) { $1 }),
        Self(
            "agora-chat", "insertMessage", .insertMessageToLocalDB,
            conversation.merging(["text": "message", "from": "senderUserID"]) { $1 }),
        Self(
            "agora-chat", "deleteMessageWithId", .deleteMessages,
            conversation.merging(["messageId": "messageList"]) { $1 }),
        Self("agora-chat", "markAllMessagesAsRead", .clearConversationUnreadMessageCount, conversation),
        Self("agora-chat", "getContacts", .queryFriendList),
        Self("agora-chat", "getBlackList", .queryBlacklist),
        Self("agora-chat", "getJoinedGroups", .queryGroupList),
    ]

    private static let session: OrderedDictionary = ["session": "conversationID", "sessionType": "conversationType"]
    private static let search: OrderedDictionary = [
        "keyword": "keywords", "limit": "count", "fromIds": "senderUserIDs",
    ]
    private static let conversation: OrderedDictionary = [
        "conversationId": "conversationID", "type": "conversationType",
    ]
}
