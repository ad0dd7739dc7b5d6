import IMProtocol

extension UserDatabase {
    /// Answers a call (ZIM-9), and makes its changes.
    ///
    /// - Returns: the answer; ``Status/invalidArgument`` for invalid arguments, and then nothing has changed;
    ///   ``Status/unsupported`` for a call that needs more than the database: the server, or a folder.
    public mutating func answer(_ request: LocalRequest) -> LocalAnswer {
        guard request.rejectionReason == nil else { return LocalAnswer(.invalidArgument) }
        guard !request.queriesServer else { return LocalAnswer(.unsupported) }
        switch request.call {
        case .queryUsersInfo: return usersInfo(request)
        case .querySelfUserInfo: return found([row(known(owner))])
        case .queryGroupApplicationList: return page(groupApplications, request, row)
        case .queryBlacklist: return page(blacklist, request) { row(known($0)) }
        case .checkUserIsInBlackList:
            return found([[("isUserInBlacklist", String(blacklist[request.text("userID")] != nil))]])
        case .searchLocalFriends: return searchFriends(request)
        case .queryFriendsInfo: return friendsInfo(request)
        case .queryFriendList: return page(friends, request, row)
        case .queryFriendApplicationList: return page(friendApplications, request, row)

        case .queryGroupList: return found(groups.values.map(row))
        case .searchLocalGroups: return searchGroups(request)
        case .queryGroupInfo: return groups[request.text("groupID")].map { found([fullRow($0)]) } ?? missingGroup
        case .queryGroupAttributes, .queryGroupAllAttributes: return groupAttributes(request)
        case .queryGroupMemberList: return memberPage(request) { _ in true }
        case .searchLocalGroupMembers: return searchMembers(request)
        case .queryGroupMemberInfo:
            guard let table = members[request.text("groupID")] else { return missingGroup }
            return table[request.text("userID")].map { found([row($0)]) } ?? LocalAnswer(.memberNotFound)
        case .queryGroupMemberCount:
            guard let table = members[request.text("groupID")] else { return missingGroup }
            return found([[("groupID", request.text("groupID")), ("count", String(table.count))]])
        case .queryGroupMemberMutedList:
            return memberPage(request) { $0.isMuted(at: request.deviceMilliseconds) }

        case .queryHistoryMessage: return history(request)
        case .updateMessageLocalExtendedData: return noteExtendedData(request)
        case .searchLocalMessages: return searchMessages(request, in: [request.conversation])
        case .searchGlobalLocalMessages: return searchMessages(request, in: Array(messages.keys))
        case .insertMessageToLocalDB: return insertMessage(request)
        case .deleteAllMessage: return clear([request.conversation])
        case .deleteMessages: return deleteMessages(request)
        case .deleteAllConversationMessages: return clear(Array(conversations.keys))
        case .queryMessageReceiptsInfo: return receipts(request)
        case .queryMessageReactionUserList: return reactionUsers(request)
        case .queryGroupMessageReceiptReadMemberList: return readers(request, haveRead: true)
        case .queryGroupMessageReceiptUnreadMemberList: return readers(request, haveRead: false)
        case .importLocalMessages, .exportLocalMessages: return LocalAnswer(.unsupported)

        case .queryCallInvitationList: return page(calls, request, newestFirst: true, row)

        case .queryConversation:
            guard let known = conversations[request.conversation], known.isListed else {
                return LocalAnswer(.conversationNotFound)
            }
            return found([row(known)])
        case .queryConversationList: return conversationPage(request, request.filter)
        case .queryConversationPinnedList: return conversationPage(request) { $0.isPinned }
        case .searchLocalConversations: return searchConversations(request)
        case .clearConversationUnreadMessageCount: return markRead([request.conversation])
        case .clearConversationTotalUnreadMessageCount: return markRead(Array(conversations.keys))
        case .deleteConversation: return removeFromList([request.conversation])
        case .deleteAllConversations: return removeFromList(Array(conversations.keys))
        case .setConversationDraft: return setDraft(request)

        case .clearLocalFileCache: return clearCache(request)
        case .queryLocalFileCache: return cache(request)
        case .queryCombineMessageDetail: return combineDetail(request)
        }
    }

    func page<Value>(
        _ table: LocalTable<Value>, _ request: LocalRequest, newestFirst: Bool = false,
        where condition: (Value) -> Bool = { _ in true }, _ row: (Value) -> Fields
    ) -> LocalAnswer {
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let following = table.entries(following: flag, newestFirst: newestFirst).filter { condition($0.value) }
        return page(of: following, request, place: { String($0.serial) }) { row($0.value) }
    }
}
