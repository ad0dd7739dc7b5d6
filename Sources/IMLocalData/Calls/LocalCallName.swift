import OrderedCollections

/// Another name of a local call, mostly that of another vendor, with that vendor's names for its arguments.
/// ``LocalCall`` defines the call: its answers and its checks of the arguments.
public struct LocalCallName: Hashable, Sendable {
    /// The profile of the vendor.
    public let profile: String
    /// The first word of the vendor's selector.
    public let name: String
    /// The local call.
    public let call: LocalCall
    /// The vendor's argument names, each with ours; the other arguments have our names.
    private let words: OrderedDictionary<String, String>

    /// Finds a vendor's name; nil if no vendor has such a call.
    public init?(_ name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Our name for an argument with the vendor's name.
    public func argument(_ word: String) -> String { words[word] ?? word }

    /// The vendor's name for an argument with our name.
    public func word(for argument: String) -> String { words.first { $0.value == argument }?.key ?? argument }

    private init(_ profile: String, _ name: String, _ call: LocalCall, _ words: OrderedDictionary<String, String> = [:])
    {
        self.profile = profile
        self.name = name
        self.call = call
        self.words = words
    }

    /// All names of other vendors, without duplicates.
    public static let all: [LocalCallName] = [
        // The vendor's list shortens these; its reference has the full names.
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
