// The only declaration of every local call with its arguments, for parsing, completion, help, checks and tests.
// Signatures follow the vendor's reference; the properties of a configuration object are arguments here.

extension LocalCall {
    /// The maximum number of entries of a page.
    public static let pageMax = 100
    /// The maximum number of ids in one call (the vendor's limit of queryUsersInfo, used for all calls).
    public static let identifiersMax = 10
    /// The maximum length of a draft, of extended data and of a message, in UTF-8 bytes.
    public static let textBytesMax = 32 * 1024

    /// Its name and arguments.
    public var declaration: LocalDeclaration { LocalCall.declarations[Int(rawValue) - 1] }

    private typealias P = LocalParameter

    private static let count = P("count", .count(max: pageMax), defaultValue: "20", "entries on the page")
    private static let nextFlag = P("nextFlag", .nextFlag, defaultValue: "0", "as the page before said it")
    private static let keywords = P("keywords", .keywords, "all of them must occur")
    private static let group = P("groupID", .identifier, "the group")
    private static let user = P("userID", .identifier, "the user")
    private static let conversation = [
        P("conversationID", .identifier, "the user or group that it is with"),
        P("conversationType", .choice(conversationTypes), defaultValue: "peer", "what it is with"),
    ]
    private static let message = P("message", .message, "its id")
    private static let messages = P("messageList", .messages(max: pageMax), "their ids")
    private static let deletesMessages = P(
        "isAlsoDeleteServerMessage", .flag, defaultValue: "false", queriesServer: true, "on the server too")
    private static let deletesConversation = P(
        "isAlsoDeleteServerConversation", .flag, defaultValue: "false", queriesServer: true, "on the server too")
    private static let search = [
        P("nextMessage", .position, defaultValue: "", "as the page before said it"), count,
        P("order", .choice(orders), defaultValue: "descending", "newest or oldest first"),
        P("keywords", .keywords, defaultValue: "", "all of them must occur"),
        P("messageTypes", .choices(messageTypes), defaultValue: "", "only these"),
        P("senderUserIDs", .identifiers(max: identifiersMax), defaultValue: "", "only what they sent"),
        P("startTime", .time, defaultValue: "0", "not before; 0 for any"),
        P("endTime", .time, defaultValue: "0", "not after; 0 for any"),
    ]
    private static let members = [nextFlag, count]
    private static let filter = [
        P("conversationTypes", .choices(conversationTypes), defaultValue: "", "only these"),
        P("isOnlyUnreadConversation", .flag, defaultValue: "false", "only with unread messages"),
        P("pinnedFilter", .choice(pinnedFilters), defaultValue: "all", "pinned ones, or the others"),
    ]
    private static let conversationPage = [
        P("nextConversation", .position, defaultValue: "", "as the page before said it"), count,
    ]

    static let conversationTypes = ConversationID.Kind.allCases.map {
        LocalParameter.Choice(name: $0.name, number: Int($0.rawValue))
    }
    static let orders = choices(("descending", 0), ("ascending", 1))
    static let queryModes = choices(("general", 0), ("prefer-server", 1), ("only-local", 2))
    static let pinnedFilters = choices(("all", 0), ("only-pinned", 1), ("only-unpinned", 2))
    static let searchModes = choices(("match-message", 0), ("match-name", 1))
    static let messageTypes = LocalMessage.Kind.allCases.map {
        LocalParameter.Choice(name: $0.name, number: Int($0.rawValue))
    }

    private static func choices(_ pairs: (String, Int)...) -> [LocalParameter.Choice] {
        pairs.map { LocalParameter.Choice(name: $0.0, number: $0.1) }
    }

    private static func call(
        _ name: String, _ topic: LocalDeclaration.Topic, _ parameters: [LocalParameter], changes: Bool = false,
        _ abstract: String
    ) -> LocalDeclaration {
        LocalDeclaration(name: name, topic: topic, abstract: abstract, parameters: parameters, changes: changes)
    }

    // In the order of the vendor's list, which is that of the raw values.
    private static let declarations: [LocalDeclaration] = [
        call(
            "queryUsersInfo", .users,
            [
                P("userIDs", .identifiers(max: identifiersMax), "at most ten"),
                P(
                    "isQueryFromServer", .flag, defaultValue: "false", queriesServer: true,
                    "ask the server, fails without one"),
            ], "what is known of users"),
        call("querySelfUserInfo", .users, [], "what is known of oneself"),
        call("queryGroupApplicationListWithConfig", .users, members, "applications to groups"),
        call("queryBlacklistWithConfig", .users, members, "users who are shut out"),
        call("checkUserIsInBlackListByUserID", .users, [user], "whether a user is shut out"),
        call(
            "searchLocalFriendsWithConfig", .users,
            members + [keywords, P("isAlsoMatchFriendAlias", .flag, defaultValue: "false", "look into aliases too")],
            "friends by name"),
        call(
            "queryFriendsInfoByUserIDs", .users, [P("userIDs", .identifiers(max: identifiersMax), "at most ten")],
            "what is known of friends"),
        call("queryFriendListWithConfig", .users, members, "all friends"),
        call("queryFriendApplicationListWithConfig", .users, members, "applications of friends"),

        call("queryGroupList", .groups, [], "all groups"),
        call(
            "searchLocalGroupsWithConfig", .groups,
            members + [
                keywords,
                P("isAlsoMatchGroupMemberUserName", .flag, defaultValue: "false", "look into members' names too"),
                P("isAlsoMatchGroupMemberNickname", .flag, defaultValue: "false", "look into nicknames too"),
            ], "groups by name"),
        call("queryGroupInfoByGroupID", .groups, [group], "a group"),
        call(
            "queryGroupAttributesByKeys", .groups, [P("keys", .identifiers(max: identifiersMax), "which"), group],
            "some attributes of a group"),
        call("queryGroupAllAttributesByGroupID", .groups, [group], "all attributes of a group"),
        call("queryGroupMemberListByGroupID", .groups, [group] + members, "members of a group"),
        call(
            "searchLocalGroupMembersByGroupID", .groups,
            [group] + members + [
                keywords, P("isAlsoMatchGroupMemberNickname", .flag, defaultValue: "false", "look into nicknames too"),
            ], "members of a group by name"),
        call("queryGroupMemberInfoByUserID", .groups, [user, group], "a member of a group"),
        call("queryGroupMemberCountByGroupID", .groups, [group], "how many members a group has"),
        call("queryGroupMemberMutedListByGroupID", .groups, [group] + members, "members who may not speak"),

        call(
            "queryHistoryMessageByConversationID", .messages,
            conversation + [
                P("nextMessage", .position, defaultValue: "", "as the page before said it"), count,
                P("reverse", .flag, defaultValue: "false", "oldest first"),
                P("mode", .choice(queryModes), defaultValue: "general", "prefer-server asks the server for news first"),
            ], "messages of a conversation"),
        call(
            "updateMessageLocalExtendedData", .messages,
            [P("localExtendedData", .text(bytesMax: textBytesMax), "what to note"), message], changes: true,
            "notes something at a message, on this device only"),
        call("searchLocalMessagesByConversationID", .messages, conversation + search, "messages by their words"),
        call("searchGlobalLocalMessagesWithConfig", .messages, search, "messages of all conversations by their words"),
        call(
            "insertMessageToLocalDB", .messages,
            [P("message", .text(bytesMax: textBytesMax), "what it says")] + conversation + [
                P("senderUserID", .identifier, "who is to have sent it")
            ], changes: true, "puts a message in on this device only"),
        call(
            "deleteAllMessageByConversationID", .messages, conversation + [deletesMessages], changes: true,
            "takes the messages of a conversation away"),
        call(
            "deleteMessages", .messages, [messages] + conversation + [deletesMessages], changes: true,
            "takes messages away"),
        call(
            "deleteAllConversationMessages", .messages, [deletesMessages], changes: true,
            "takes all messages away"),
        call("queryMessageReceiptsInfoByMessageList", .messages, [messages] + conversation, "who has read messages"),
        call(
            "queryMessageReactionUserListByMessage", .messages,
            [message, P("reactionType", .identifier, "which reaction")] + members, "who reacted so to a message"),
        call(
            "queryGroupMessageReceiptReadMemberListByMessage", .messages, [message, group] + members,
            "members who have read a message"),
        call(
            "queryGroupMessageReceiptUnreadMemberListByMessage", .messages, [message, group] + members,
            "members who have not read a message"),
        call(
            "importLocalMessagesToFolderPath", .messages, [P("folderPath", .folder, "an export")], changes: true,
            "takes in what an export has and this device has not"),
        call(
            "exportLocalMessagesToFolderPath", .messages, [P("folderPath", .folder, "where to")],
            "writes all messages into a folder"),

        call("queryCallInvitationListWithConfig", .calls, members, "calls, the latest first"),

        call("queryConversation", .conversations, conversation, "a conversation"),
        call(
            "queryConversationListWithConfig", .conversations, conversationPage + filter,
            "conversations, pinned ones first, then the latest"),
        call(
            "queryConversationPinnedListWithConfig", .conversations, conversationPage, "conversations that are pinned"),
        call(
            "searchLocalConversationsWithConfig", .conversations,
            [
                P("mode", .choice(searchModes), defaultValue: "match-message", "where to look"), nextFlag,
                P("totalConversationCount", .count(max: pageMax), defaultValue: "20", "conversations on the page"),
                P("conversationMessageCount", .count(max: pageMax), defaultValue: "3", "messages of each"),
            ] + search.filter { !["nextMessage", "count", "order"].contains($0.name) },
            "conversations by the words of their messages, or by name"),
        call(
            "clearConversationUnreadMessageCount", .conversations, conversation, changes: true,
            "all of a conversation is read"),
        call("clearConversationTotalUnreadMessageCount", .conversations, [], changes: true, "everything is read"),
        call(
            "deleteConversation", .conversations, conversation + [deletesConversation], changes: true,
            "takes a conversation off the list"),
        call(
            "deleteAllConversationsWithConfig", .conversations, [deletesConversation], changes: true,
            "takes all conversations off the list"),
        call(
            "setConversationDraft", .conversations,
            [P("draft", .text(bytesMax: textBytesMax), "empty for none any more")] + conversation, changes: true,
            "notes what is to be sent"),

        call(
            "clearLocalFileCacheWithConfig", .cache, [P("endTime", .time, "of downloads up to then")], changes: true,
            "takes downloaded files away"),
        call(
            "queryLocalFileCacheWithConfig", .cache, [P("endTime", .time, defaultValue: "0", "up to then; 0 for all")],
            "how much downloaded files take up"),
        call("queryCombineMessageDetail", .cache, [message], "the parts of a combined message"),
    ]
}
