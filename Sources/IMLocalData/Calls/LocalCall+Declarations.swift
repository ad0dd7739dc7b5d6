// The table that declares every local call with its arguments. The parser, completion, help, checks and tests use it.
// Signatures follow the vendor's reference. If the vendor passes a configuration object, each of its properties is an
// argument here.

extension LocalCall {
    /// The maximum number of entries of a page.
    public static let pageMax = 100
    /// The maximum number of ids in one call. The vendor states this limit for `queryUsersInfo`; here all calls have
    /// it.
    public static let identifiersMax = 10
    /// The maximum length of a draft, of extended data and of a message, in UTF-8 bytes.
    public static let textBytesMax = 32 * 1024

    /// The name, the parameters and the help of the call.
    public var declaration: LocalDeclaration { LocalCall.declarations[Int(rawValue) - 1] }

    private typealias P = LocalParameter

    private static let count = P("count", .count(max: pageMax), defaultValue: "20", "number of entries on the page")
    private static let nextFlag = P("nextFlag", .nextFlag, defaultValue: "0", "from the answer of the page before")
    private static let keywords = P("keywords", .keywords, "words that must all occur")
    private static let group = P("groupID", .identifier, "the group")
    private static let user = P("userID", .identifier, "the user")
    private static let conversation = [
        P("conversationID", .identifier, "the user or group of the conversation"),
        P("conversationType", .choice(conversationTypes), defaultValue: "peer", "the type of the conversation"),
    ]
    private static let message = P("message", .message, "the message's id")
    private static let messages = P("messageList", .messages(max: pageMax), "the ids of the messages")
    private static let deletesMessages = P(
        "isAlsoDeleteServerMessage", .flag, defaultValue: "false", queriesServer: true, "also delete on the server")
    private static let deletesConversation = P(
        "isAlsoDeleteServerConversation", .flag, defaultValue: "false", queriesServer: true, "also delete on the server"
    )
    private static let search = [
        P("nextMessage", .position, defaultValue: "", "from the answer of the page before"), count,
        P("order", .choice(orders), defaultValue: "descending", "newest (descending) or oldest first"),
        P("keywords", .keywords, defaultValue: "", "words that must all occur"),
        P("messageTypes", .choices(messageTypes), defaultValue: "", "only these types"),
        P("senderUserIDs", .identifiers(max: identifiersMax), defaultValue: "", "only messages of these senders"),
        P("startTime", .time, defaultValue: "0", "only from this time on; 0: no limit"),
        P("endTime", .time, defaultValue: "0", "only up to this time; 0: no limit"),
    ]
    private static let members = [nextFlag, count]
    private static let filter = [
        P("conversationTypes", .choices(conversationTypes), defaultValue: "", "only these types"),
        P("isOnlyUnreadConversation", .flag, defaultValue: "false", "only conversations with unread messages"),
        P("pinnedFilter", .choice(pinnedFilters), defaultValue: "all", "pinned or unpinned conversations only"),
    ]
    private static let conversationPage = [
        P("nextConversation", .position, defaultValue: "", "from the answer of the page before"), count,
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

    // In the order of the raw values of `LocalCall`, because `declaration` uses the raw value as an index.
    private static let declarations: [LocalDeclaration] = [
        call(
            "queryUsersInfo", .users,
            [
                P("userIDs", .identifiers(max: identifiersMax), "at most ten user ids"),
                P(
                    "isQueryFromServer", .flag, defaultValue: "false", queriesServer: true,
                    "query the server; fails without a network"),
            ], "information about users"),
        call("querySelfUserInfo", .users, [], "information about the logged-in user"),
        call("queryGroupApplicationListWithConfig", .users, members, "requests to join groups"),
        call("queryBlacklistWithConfig", .users, members, "blocked users"),
        call("checkUserIsInBlackListByUserID", .users, [user], "whether a user is blocked"),
        call(
            "searchLocalFriendsWithConfig", .users,
            members + [keywords, P("isAlsoMatchFriendAlias", .flag, defaultValue: "false", "also search in aliases")],
            "friends whose name matches"),
        call(
            "queryFriendsInfoByUserIDs", .users,
            [P("userIDs", .identifiers(max: identifiersMax), "at most ten user ids")],
            "information about friends"),
        call("queryFriendListWithConfig", .users, members, "all friends"),
        call("queryFriendApplicationListWithConfig", .users, members, "friend requests"),

        call("queryGroupList", .groups, [], "all groups"),
        call(
            "searchLocalGroupsWithConfig", .groups,
            members + [
                keywords,
                P("isAlsoMatchGroupMemberUserName", .flag, defaultValue: "false", "also search in members' names"),
                P("isAlsoMatchGroupMemberNickname", .flag, defaultValue: "false", "also search in nicknames"),
            ], "groups whose name matches"),
        call("queryGroupInfoByGroupID", .groups, [group], "a group"),
        call(
            "queryGroupAttributesByKeys", .groups,
            [P("keys", .identifiers(max: identifiersMax), "the keys of the attributes"), group],
            "some attributes of a group"),
        call("queryGroupAllAttributesByGroupID", .groups, [group], "all attributes of a group"),
        call("queryGroupMemberListByGroupID", .groups, [group] + members, "members of a group"),
        call(
            "searchLocalGroupMembersByGroupID", .groups,
            [group] + members + [
                keywords, P("isAlsoMatchGroupMemberNickname", .flag, defaultValue: "false", "also search in nicknames"),
            ], "members of a group whose name matches"),
        call("queryGroupMemberInfoByUserID", .groups, [user, group], "a member of a group"),
        call("queryGroupMemberCountByGroupID", .groups, [group], "the number of members of a group"),
        call("queryGroupMemberMutedListByGroupID", .groups, [group] + members, "muted members of a group"),

        call(
            "queryHistoryMessageByConversationID", .messages,
            conversation + [
                P("nextMessage", .position, defaultValue: "", "from the answer of the page before"), count,
                P("reverse", .flag, defaultValue: "false", "oldest first"),
                P("mode", .choice(queryModes), defaultValue: "general", "prefer-server queries the server first"),
            ], "messages of a conversation"),
        call(
            "updateMessageLocalExtendedData", .messages,
            [P("localExtendedData", .text(bytesMax: textBytesMax), "the data to store"), message], changes: true,
            "stores data with a message, on this device only"),
        call(
            "searchLocalMessagesByConversationID", .messages, conversation + search,
            "messages of a conversation that contain the words"),
        call(
            "searchGlobalLocalMessagesWithConfig", .messages, search,
            "messages of all conversations that contain the words"),
        call(
            "insertMessageToLocalDB", .messages,
            [P("message", .text(bytesMax: textBytesMax), "the text of the message")] + conversation + [
                P("senderUserID", .identifier, "the sender of the message")
            ], changes: true, "inserts a message, on this device only"),
        call(
            "deleteAllMessageByConversationID", .messages, conversation + [deletesMessages], changes: true,
            "deletes the messages of a conversation"),
        call(
            "deleteMessages", .messages, [messages] + conversation + [deletesMessages], changes: true,
            "deletes messages"),
        call(
            "deleteAllConversationMessages", .messages, [deletesMessages], changes: true,
            "deletes all messages"),
        call(
            "queryMessageReceiptsInfoByMessageList", .messages, [messages] + conversation, "read receipts of messages"),
        call(
            "queryMessageReactionUserListByMessage", .messages,
            [message, P("reactionType", .identifier, "the type of the reaction")] + members,
            "users who reacted to a message with this type"),
        call(
            "queryGroupMessageReceiptReadMemberListByMessage", .messages, [message, group] + members,
            "members who have read a message"),
        call(
            "queryGroupMessageReceiptUnreadMemberListByMessage", .messages, [message, group] + members,
            "members who have not read a message"),
        call(
            "importLocalMessagesToFolderPath", .messages, [P("folderPath", .folder, "the folder of the export")],
            changes: true,
            "imports the messages of an export that this device lacks"),
        call(
            "exportLocalMessagesToFolderPath", .messages, [P("folderPath", .folder, "the folder to write")],
            "exports all messages to a folder"),

        call("queryCallInvitationListWithConfig", .calls, members, "calls, latest first"),

        call("queryConversation", .conversations, conversation, "a conversation"),
        call(
            "queryConversationListWithConfig", .conversations, conversationPage + filter,
            "conversations: pinned first, then latest first"),
        call(
            "queryConversationPinnedListWithConfig", .conversations, conversationPage, "pinned conversations"),
        call(
            "searchLocalConversationsWithConfig", .conversations,
            [
                P("mode", .choice(searchModes), defaultValue: "match-message", "search messages or names"), nextFlag,
                P(
                    "totalConversationCount", .count(max: pageMax), defaultValue: "20",
                    "number of conversations on the page"),
                P("conversationMessageCount", .count(max: pageMax), defaultValue: "3", "number of messages of each"),
            ] + search.filter { !["nextMessage", "count", "order"].contains($0.name) },
            "conversations whose messages or names match"),
        call(
            "clearConversationUnreadMessageCount", .conversations, conversation, changes: true,
            "marks a conversation as read"),
        call(
            "clearConversationTotalUnreadMessageCount", .conversations, [], changes: true,
            "marks all conversations as read"),
        call(
            "deleteConversation", .conversations, conversation + [deletesConversation], changes: true,
            "removes a conversation from the list"),
        call(
            "deleteAllConversationsWithConfig", .conversations, [deletesConversation], changes: true,
            "removes all conversations from the list"),
        call(
            "setConversationDraft", .conversations,
            [P("draft", .text(bytesMax: textBytesMax), "the draft; empty removes it")] + conversation, changes: true,
            "stores the draft of a conversation"),

        call(
            "clearLocalFileCacheWithConfig", .cache, [P("endTime", .time, "only downloads up to this time")],
            changes: true,
            "deletes downloaded files"),
        call(
            "queryLocalFileCacheWithConfig", .cache,
            [P("endTime", .time, defaultValue: "0", "only downloads up to this time; 0: all")],
            "the size of downloaded files"),
        call("queryCombineMessageDetail", .cache, [message], "the parts of a combined message"),
    ]
}
