import OrderedCollections

/// An alternative name for a local call, in most cases the name of another vendor, with that vendor's names for the
/// arguments. ``LocalCall`` defines how the call is checked and answered.
public struct LocalCallName: Hashable, Sendable {
    /// The profile of the vendor.
    public let profile: String
    /// The first word of the vendor's selector.
    public let name: String
    /// The call that the name means.
    public let call: LocalCall
    /// For each argument that the vendor names differently: the vendor's name, and the name in ``LocalCall``.
    private let words: OrderedDictionary<String, String>

    /// Finds an alternative name; nil if it is unknown.
    public init?(_ name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// The name in ``LocalCall`` of an argument with a vendor's name.
    public func argument(_ word: String) -> String { words[word] ?? word }

    /// The vendor's name of an argument with a name in ``LocalCall``.
    public func word(for argument: String) -> String { words.first { $0.value == argument }?.key ?? argument }

    private init(_ profile: String, _ name: String, _ call: LocalCall, _ words: OrderedDictionary<String, String> = [:])
    {
        self.profile = profile
        self.name = name
        self.call = call
        self.words = words
    }

    /// All alternative names; no name occurs twice.
    public static let all: [LocalCallName] = [
        // ZIM's list of local calls shortens these names. These are the full ones, from ZIM's reference.
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
