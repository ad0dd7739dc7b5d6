import GRDB
import IMLocalData
import IMProtocol

extension UserDataTransaction {
    /// Answers a checked call, and performs it. `UserDatabase` behaves the same.
    func answer(_ request: LocalRequest) throws -> LocalAnswer {
        switch request.call {
        case .queryUsersInfo: return try users(request) { try entry(.user, $0) }
        case .querySelfUserInfo: return found([rows.row(try known(owner))])
        case .queryGroupApplicationList: return try page(.groupApplication, request, row)
        case .queryBlacklist: return try page(.blacklist, request, row)
        case .checkUserIsInBlackList:
            let isIn = try entry(.blacklist, request.text("userID")) != nil
            return found([[("isUserInBlacklist", String(isIn))]])
        case .searchLocalFriends: return try searchFriends(request)
        case .queryFriendsInfo: return try users(request) { try entry(.friend, $0) }
        case .queryFriendList: return try page(.friend, request, row)
        case .queryFriendApplicationList: return try page(.friendApplication, request, row)

        case .queryGroupList: return found(try entries(.group).map { try row($0.change) })
        case .searchLocalGroups: return try searchGroups(request)
        case .queryGroupInfo:
            guard case .group(let group)? = try entry(.group, request.text("groupID")) else { return missingGroup }
            return found([rows.row(group, memberCount: try count(.member, scope: group.id) ?? 0)])
        case .queryGroupAttributes, .queryGroupAllAttributes: return try groupAttributes(request)
        case .queryGroupMemberList: return try memberPage(request) { _ in true }
        case .searchLocalGroupMembers: return try searchMembers(request)
        case .queryGroupMemberInfo:
            let group = request.text("groupID")
            guard try count(.member, scope: group) != nil else { return missingGroup }
            let member = try entry(.member, scope: group, request.text("userID"))
            return try member.map { found([try row($0)]) } ?? LocalAnswer(.memberNotFound)
        case .queryGroupMemberCount:
            let group = request.text("groupID")
            guard let count = try count(.member, scope: group) else { return missingGroup }
            return found([[("groupID", group), ("count", String(count))]])
        case .queryGroupMemberMutedList:
            return try memberPage(request) { $0.isMuted(at: request.deviceMilliseconds) }

        case .queryHistoryMessage: return try history(request)
        case .updateMessageLocalExtendedData: return try noteExtendedData(request)
        case .searchLocalMessages: return try searchMessages(request, in: request.conversation)
        case .searchGlobalLocalMessages: return try searchMessages(request, in: nil)
        case .insertMessageToLocalDB: return try insertMessage(request)
        case .deleteAllMessage:
            return .changed(try [known(request.conversation)].compactMap(\.self).filter(clear).map(\.id))
        case .deleteMessages:
            let names = try request.list("messageList").filter {
                try message($0)?.conversation == request.conversation
            }
            for name in names { try remove(name) }
            return .changed(names.isEmpty ? [] : [request.conversation])
        case .deleteAllConversationMessages: return .changed(try allConversations().filter(clear).map(\.id))
        case .queryMessageReceiptsInfo: return try receipts(request)
        case .queryMessageReactionUserList: return try reactionUsers(request)
        case .queryGroupMessageReceiptReadMemberList: return try readers(request, haveRead: true)
        case .queryGroupMessageReceiptUnreadMemberList: return try readers(request, haveRead: false)
        case .importLocalMessages, .exportLocalMessages: return LocalAnswer(.unsupported)

        case .queryCallInvitationList: return try page(.call, request, newestFirst: true, row)

        case .queryConversation:
            guard let known = try known(request.conversation), known.isListed else {
                return LocalAnswer(.conversationNotFound)
            }
            return found([try row(known)])
        case .queryConversationList: return try conversationPage(request, request.filter)
        case .queryConversationPinnedList: return try conversationPage(request) { $0.isPinned }
        case .searchLocalConversations: return try searchConversations(request)
        case .clearConversationUnreadMessageCount: return try markRead([request.conversation])
        case .clearConversationTotalUnreadMessageCount: return try markRead(allConversations().map(\.id))
        case .deleteConversation: return try removeFromList([request.conversation])
        case .deleteAllConversations: return try removeFromList(allConversations().map(\.id))
        case .setConversationDraft: return try setDraft(request)

        case .clearLocalFileCache:
            let time = request.number("endTime")
            try run(
                """
                UPDATE message SET downloadedAt = NULL WHERE downloadedAt IS NOT NULL AND (?1 = 0 OR downloadedAt <= ?1)
                """, [time])
        case .queryLocalFileCache: return try cache(request)
        case .queryCombineMessageDetail:
            guard let message = try message(request.text("message")), message.kind == .combine else { return missing }
            return found(message.parts.map(rows.row))
        }
        return LocalAnswer(.ok)
    }

    /// The answer for a missing message.
    private var missing: LocalAnswer { LocalAnswer(.notFound) }
    private var missingGroup: LocalAnswer { LocalAnswer(.groupNotFound) }

    // MARK: Users and groups

    /// A row for each requested user, including unknown ones.
    private func users(_ request: LocalRequest, _ find: (String) throws -> LocalChange?) throws -> LocalAnswer {
        LocalAnswer(
            .ok,
            try request.list("userIDs").map { name in
                try find(name).map { AnswerRow(try row($0)) } ?? rows.error(ofUser: name)
            })
    }

    private func searchFriends(_ request: LocalRequest) throws -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoAlias = request.flag("isAlsoMatchFriendAlias")
        return try page(
            .friend, request,
            where: { change in
                guard case .friend(let friend) = change else { return false }
                let name = try known(friend.user).name
                return FoldedText.matches(alsoAlias ? [name, friend.alias] : [name], keywords)
            }, row)
    }

    private func searchGroups(_ request: LocalRequest) throws -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoNames = request.flag("isAlsoMatchGroupMemberUserName")
        let alsoNicknames = request.flag("isAlsoMatchGroupMemberNickname")
        return try page(
            .group, request,
            where: { change in
                guard case .group(let group) = change else { return false }
                var texts = [group.name]
                guard alsoNames || alsoNicknames else { return FoldedText.matches(texts, keywords) }
                for case .member(_, let member) in try entries(.member, scope: group.id).map(\.change) {
                    if alsoNames { texts.append(try known(member.user).name) }
                    if alsoNicknames { texts.append(member.nickname) }
                }
                return FoldedText.matches(texts, keywords)
            }, row)
    }

    private func groupAttributes(_ request: LocalRequest) throws -> LocalAnswer {
        guard case .group(let group)? = try entry(.group, request.text("groupID")) else { return missingGroup }
        let keys = request.call == .queryGroupAttributes ? request.list("keys") : nil
        let chosen = group.attributes.filter { keys?.contains($0.name) ?? true }
        return found(chosen.map { [("key", $0.name), ("value", $0.value)] })
    }

    private func memberPage(
        _ request: LocalRequest, where condition: (GroupMember) throws -> Bool
    ) throws -> LocalAnswer {
        let group = request.text("groupID")
        guard try count(.member, scope: group) != nil else { return missingGroup }
        return try page(
            .member, scope: group, request,
            where: { change in
                guard case .member(_, let member) = change else { return false }
                return try condition(member)
            }, row)
    }

    private func searchMembers(_ request: LocalRequest) throws -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoNickname = request.flag("isAlsoMatchGroupMemberNickname")
        return try memberPage(request) { member in
            let name = try known(member.user).name
            return FoldedText.matches(alsoNickname ? [name, member.nickname] : [name], keywords)
        }
    }

    // MARK: Messages

    private func noteExtendedData(_ request: LocalRequest) throws -> LocalAnswer {
        guard var message = try message(request.text("message")) else { return missing }
        message.localExtendedData = request.text("localExtendedData")
        try run(
            "UPDATE message SET noted = ? WHERE localID = ?",
            [message.localExtendedData.isEmpty ? nil : message.localExtendedData, message.localID])
        return found([rows.row(message)])
    }

    private func insertMessage(_ request: LocalRequest) throws -> LocalAnswer {
        let id = request.conversation
        var message = LocalMessage(
            id: "", conversation: id, sender: request.text("senderUserID"), text: request.text("message"),
            timestamp: request.deviceMilliseconds)
        message.isUserInserted = true
        var conversation = try begun(id)
        let inserted = try insert(message, in: conversation.serial)
        conversation.moveUp(at: message.timestamp)
        save(conversation)
        return found([rows.row(inserted)])
    }

    private func readers(of localID: Int64) throws -> Set<String> {
        let cursor = try cursor("SELECT user FROM reader WHERE message = ?", [localID])
        var users: Set<String> = []
        while let row = try cursor.next() { users.insert(row["user"]) }
        return users
    }

    private func receipts(_ request: LocalRequest) throws -> LocalAnswer {
        found(
            try request.list("messageList").map { name in
                guard let message = try message(name), message.conversation == request.conversation else {
                    return [("errorMessageID", name)]
                }
                let others = try count(.member, scope: message.conversation.id).map { max(0, $0 - 1) } ?? 1
                let read = try readers(of: message.localID).count { $0 != message.sender }
                return rows.receipt(message, readCount: read, others: others)
            })
    }

    private func reactionUsers(_ request: LocalRequest) throws -> LocalAnswer {
        guard let message = try message(request.text("message")) else { return missing }
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let after = message.reactions.filter { $0.type == request.text("reactionType") && $0.serial > flag }
        let shown = after.prefix(request.count())
        let next = shown.count < after.count ? shown.last.map { String($0.serial) } : nil
        return found(shown.map { [("userID", $0.user), ("reactionType", $0.type)] }, next: next ?? "")
    }

    private func readers(_ request: LocalRequest, haveRead: Bool) throws -> LocalAnswer {
        guard let message = try message(request.text("message")), message.conversation.id == request.text("groupID"),
            message.conversation.kind == .group
        else { return missing }
        let readers = try readers(of: message.localID)
        return try memberPage(request) { member in
            member.user != message.sender && readers.contains(member.user) == haveRead
        }
    }

    // MARK: Files

    private func cache(_ request: LocalRequest) throws -> LocalAnswer {
        let cursor = try cursor(
            """
            SELECT c.kind AS of, c.id, m.kind, SUM(m.fileSize) AS size FROM message m
            JOIN conversation c ON c.serial = m.conversation
            WHERE m.downloadedAt IS NOT NULL AND (?1 = 0 OR m.downloadedAt <= ?1)
            GROUP BY m.conversation, m.kind ORDER BY m.conversation, m.kind
            """, [request.number("endTime")])
        var found: [AnswerRows.Fields] = []
        var total: Int64 = 0
        while let row = try cursor.next() {
            let id = ConversationID(kind: ConversationID.Kind(rawValue: row["of"]) ?? .peer, id: row["id"])
            let size: Int64 = row["size"] ?? 0
            total &+= size
            found.append(rows.row(cacheOf: id, LocalMessage.Kind(rawValue: row["kind"]) ?? .file, size: size))
        }
        return self.found([[("totalFileSize", String(total))]] + found)
    }
}
