import IMProtocol

extension UserRecords {
    /// Answers a call (ZIM-9), and makes the changes that the call requests.
    ///
    /// - Returns: the answer. Its status is ``Status/invalidArgument`` if an argument is invalid, and
    ///   ``Status/unsupported`` if the call needs the server or a folder. In both cases the data is unchanged.
    package mutating func perform(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        guard request.rejectionReason == nil else { return LocalAnswer(.invalidArgument) }
        guard !request.queriesServer else { return LocalAnswer(.unsupported) }
        switch request.call {
        case .queryUsersInfo: return try users(request, in: .user)
        case .querySelfUserInfo: return found([rows.row(try storedUser(rows.owner))])
        case .queryGroupApplicationList: return try page(.groupApplication, request)
        case .queryBlacklist: return try page(.blacklist, request)
        case .checkUserIsInBlackList:
            let isIn = try entry(.blacklist, request.text("userID")) != nil
            return found([[("isUserInBlacklist", String(isIn))]])
        case .searchLocalFriends: return try searchFriends(request)
        case .queryFriendsInfo: return try users(request, in: .friend)
        case .queryFriendList: return try page(.friend, request)
        case .queryFriendApplicationList: return try page(.friendApplication, request)

        case .queryGroupList: return try groupList()
        case .searchLocalGroups: return try searchGroups(request)
        case .queryGroupInfo:
            guard let group = try group(request.text("groupID")) else { return missingGroup }
            return found([rows.row(group, memberCount: try count(.member(of: group.id)) ?? 0)])
        case .queryGroupAttributes, .queryGroupAllAttributes: return try groupAttributes(request)
        case .queryGroupMemberList: return try memberPage(request)
        case .searchLocalGroupMembers: return try searchMembers(request)
        case .queryGroupMemberInfo:
            let table = EntryTable.member(of: request.text("groupID"))
            guard try count(table) != nil else { return missingGroup }
            guard let member = try entry(table, request.text("userID")) else { return LocalAnswer(.memberNotFound) }
            return found([try row(member)])
        case .queryGroupMemberCount:
            let group = request.text("groupID")
            guard let count = try count(.member(of: group)) else { return missingGroup }
            return found([[("groupID", group), ("count", String(count))]])
        case .queryGroupMemberMutedList:
            return try memberPage(request) { $0.isMuted(at: request.deviceMilliseconds) }

        case .queryHistoryMessage:
            return try messagePage(request, in: request.conversation, oldestFirst: request.flag("reverse"), nil)
        case .updateMessageLocalExtendedData: return try updateLocalExtendedData(request)
        case .searchLocalMessages, .searchGlobalLocalMessages:
            return try messagePage(
                request, in: request.call == .searchLocalMessages ? request.conversation : nil,
                oldestFirst: request.choice("order") == 1, MessageFilter(request))
        case .insertMessageToLocalDB: return try insertMessage(request)
        case .deleteAllMessage: return try clear(try storedConversation(request.conversation).map { [$0] } ?? [])
        case .deleteMessages: return try deleteMessages(request)
        case .deleteAllConversationMessages: return try clear(try allConversations())
        case .queryMessageReceiptsInfo: return try receipts(request)
        case .queryMessageReactionUserList: return try reactionUsers(request)
        case .queryGroupMessageReceiptReadMemberList: return try readers(request, haveRead: true)
        case .queryGroupMessageReceiptUnreadMemberList: return try readers(request, haveRead: false)
        case .importLocalMessages, .exportLocalMessages: return LocalAnswer(.unsupported)

        case .queryCallInvitationList: return try page(.call, request, newestFirst: true)

        case .queryConversation:
            guard let known = try storedConversation(request.conversation), known.isListed else {
                return LocalAnswer(.conversationNotFound)
            }
            return found([try row(known)])
        case .queryConversationList: return try conversationPage(request, request.filter)
        case .queryConversationPinnedList: return try conversationPage(request) { $0.isPinned }
        case .searchLocalConversations: return try searchConversations(request)
        case .clearConversationUnreadMessageCount: return try markRead([request.conversation])
        case .clearConversationTotalUnreadMessageCount: return try markRead(try allConversations().map(\.id))
        case .deleteConversation: return try removeFromList([request.conversation])
        case .deleteAllConversations: return try removeFromList(try allConversations().map(\.id))
        case .setConversationDraft: return try setDraft(request)

        case .clearLocalFileCache:
            try clearCache(upTo: request.number("endTime"))
            return done
        case .queryLocalFileCache: return try cache(request)
        case .queryCombineMessageDetail:
            guard let message = try message(request.text("message")), message.kind == .combine else { return missing }
            return found(message.parts.map { rows.row($0) })
        }
    }
}
