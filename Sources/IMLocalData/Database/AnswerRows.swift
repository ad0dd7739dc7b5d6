import IMProtocol

/// Makes the rows of answers. The fields of a row have the vendor's names.
package struct AnswerRows: Sendable {
    /// The fields of a row: names and values.
    package typealias Fields = [(String, String)]

    /// The user id of the owner of the data. A message from the owner has the direction `send`, any other `receive`.
    package let owner: String

    package init(owner: String) { self.owner = owner }

    package func row(_ user: LocalUser) -> Fields {
        [
            ("userID", user.id), ("userName", user.name), ("userAvatarUrl", user.avatarURL),
            ("userExtendedData", user.extendedData),
        ]
    }

    /// The row for a requested user about whom no data is stored.
    package func error(ofUser name: String) -> AnswerRow {
        AnswerRow([("errorUserID", name), ("reason", Status.notFound.name)])
    }

    package func row(_ friend: LocalFriend, _ user: LocalUser) -> Fields {
        row(user) + [
            ("friendAlias", friend.alias), ("friendAttributes", Self.text(friend.attributes)),
            ("createTime", String(friend.createTime)), ("wording", friend.wording),
        ]
    }

    package func row(_ application: FriendApplication) -> Fields {
        [
            ("userID", application.user), ("type", application.isReceived ? "received" : "sent"),
            ("state", application.state.name), ("wording", application.wording),
            ("createTime", String(application.createTime)), ("updateTime", String(application.updateTime)),
        ]
    }

    package func row(_ application: GroupApplication) -> Fields {
        [
            ("groupID", application.group), ("userID", application.user), ("type", application.kind.name),
            ("state", application.state.name), ("wording", application.wording),
            ("createTime", String(application.createTime)), ("updateTime", String(application.updateTime)),
        ]
    }

    package func row(_ group: LocalGroup) -> Fields {
        let fields: Fields = [
            ("groupID", group.id), ("groupName", group.name), ("groupAvatarUrl", group.avatarURL),
            ("groupAlias", group.alias), ("notificationStatus", group.notifies ? "notify" : "do-not-disturb"),
        ]
        return group.isThread ? fields + [("parentID", group.rules.parent)] : fields
    }

    package func row(_ group: LocalGroup, memberCount: Int) -> Fields {
        let rules: Fields = [
            ("isMuteAllMembers", group.rules.isMuted ? "true" : ""),
            ("blockedUserIDs", group.rules.blocked.joined(separator: ",")),
            ("whiteListUserIDs", group.rules.exempt.joined(separator: ",")),
        ]
        return row(group) + [
            ("groupNotice", group.notice), ("groupAttributes", Self.text(group.attributes)),
            ("createTime", String(group.createTime)), ("memberCount", String(memberCount)),
        ] + rules.filter { !$0.1.isEmpty }
    }

    package func row(_ member: GroupMember, _ user: LocalUser) -> Fields {
        let own: Fields = [
            ("isBlocked", member.own.blocksMessages ? "true" : ""),
            ("memberAttributes", Self.text(member.own.attributes)),
        ]
        return row(user) + [
            ("memberNickname", member.nickname), ("memberRole", member.role.name),
            ("muteExpiredTime", String(member.mutedUntil)),
        ] + own.filter { !$0.1.isEmpty }
    }

    package func row(_ message: LocalMessage) -> Fields {
        var fields: Fields = [
            ("messageID", message.id), ("localMessageID", String(message.localID)),
            ("messageSeq", String(message.sequence)), ("type", message.kind.name),
            ("senderUserID", message.sender), ("conversationID", message.conversation.id),
            ("conversationType", message.conversation.kind.name),
            ("direction", message.sender == owner ? "send" : "receive"), ("sentStatus", message.sentStatus.name),
            ("timestamp", String(message.timestamp)), ("message", message.text),
        ]
        if let file = message.file {
            fields += [("fileName", file.name), ("fileSize", String(file.size))]
        }
        if message.isUserInserted { fields.append(("isUserInserted", "true")) }
        let more: Fields = [
            ("extendedData", message.extendedData), ("localExtendedData", message.localExtendedData),
            ("repliedMessageID", message.repliesTo), ("mentionedUserIDs", message.mentioned.joined(separator: ",")),
            ("reactions", Self.text(of: message.reactions)),
        ]
        return fields + more.filter { !$0.1.isEmpty }
    }

    package func row(_ conversation: LocalConversation, last: LocalMessage?) -> Fields {
        let fields: Fields = [
            ("conversationID", conversation.id.id), ("conversationType", conversation.id.kind.name),
            ("conversationName", conversation.name), ("conversationAlias", conversation.alias),
            ("unreadMessageCount", String(conversation.unreadCount)),
            ("notificationStatus", conversation.notifies ? "notify" : "do-not-disturb"),
            ("isPinned", String(conversation.isPinned)), ("orderKey", String(conversation.orderKey)),
            ("draft", conversation.draft), ("lastMessageID", last?.id ?? ""), ("lastMessage", last?.text ?? ""),
        ]
        return conversation.marks.names.isEmpty ? fields : fields + [("marks", conversation.marks.text)]
    }

    package func row(_ call: CallInvitation) -> Fields {
        [
            ("callID", call.id), ("caller", call.caller), ("inviter", call.inviter),
            ("createTime", String(call.createTime)), ("endTime", String(call.endTime)),
            ("state", call.endTime == 0 ? "started" : "ended"), ("callUserList", call.users.joined(separator: ",")),
        ]
    }

    /// The read receipt of a message.
    ///
    /// - Parameters:
    ///   - readCount: the number of users who have read the message, without its sender.
    ///   - others: the number of users who can read it, without its sender.
    package func receipt(_ message: LocalMessage, readCount: Int, others: Int) -> Fields {
        let status = !message.wantsReceipts ? "none" : readCount >= others ? "done" : "processing"
        return [
            ("messageID", message.id), ("status", status), ("readMemberCount", String(readCount)),
            ("unreadMemberCount", String(max(0, others - readCount))),
        ]
    }

    /// The size of the downloaded files of one kind in one conversation, in bytes.
    package func row(cacheOf id: ConversationID, _ kind: LocalMessage.Kind, size: Int64) -> Fields {
        [
            ("conversationID", id.id), ("conversationType", id.kind.name), ("type", kind.name),
            ("fileSize", String(size)),
        ]
    }

    private static func text(_ attributes: [AnswerField]) -> String {
        attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    }

    private static func text(of reactions: [LocalMessage.Reaction]) -> String {
        var types: [String] = []
        for reaction in reactions where !types.contains(reaction.type) { types.append(reaction.type) }
        return types.map { type in "\(type):\(reactions.count { $0.type == type })" }.joined(separator: ",")
    }
}
