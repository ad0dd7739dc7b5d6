import IMProtocol

// Rows as answers have them, under the vendor's names.

extension UserDatabase {
    typealias Fields = [(String, String)]

    func row(_ user: LocalUser) -> Fields {
        [
            ("userID", user.id), ("userName", user.name), ("userAvatarUrl", user.avatarURL),
            ("userExtendedData", user.extendedData),
        ]
    }

    /// What is known of a user; of one who was never heard of, the name alone.
    func known(_ user: String) -> LocalUser { users[user] ?? LocalUser(id: user) }

    func row(_ friend: LocalFriend) -> Fields {
        row(known(friend.user)) + [
            ("friendAlias", friend.alias), ("friendAttributes", Self.text(friend.attributes)),
            ("createTime", String(friend.createTime)), ("wording", friend.wording),
        ]
    }

    func row(_ application: FriendApplication) -> Fields {
        [
            ("userID", application.user), ("type", application.isReceived ? "received" : "sent"),
            ("state", application.state.name), ("wording", application.wording),
            ("createTime", String(application.createTime)), ("updateTime", String(application.updateTime)),
        ]
    }

    func row(_ application: GroupApplication) -> Fields {
        [
            ("groupID", application.group), ("userID", application.user), ("type", application.kind.name),
            ("state", application.state.name), ("wording", application.wording),
            ("createTime", String(application.createTime)), ("updateTime", String(application.updateTime)),
        ]
    }

    func row(_ group: LocalGroup) -> Fields {
        [
            ("groupID", group.id), ("groupName", group.name), ("groupAvatarUrl", group.avatarURL),
            ("groupAlias", group.alias), ("notificationStatus", group.notifies ? "notify" : "do-not-disturb"),
        ]
    }

    func fullRow(_ group: LocalGroup) -> Fields {
        row(group) + [
            ("groupNotice", group.notice), ("groupAttributes", Self.text(group.attributes)),
            ("createTime", String(group.createTime)), ("memberCount", String(members[group.id]?.count ?? 0)),
        ]
    }

    func row(_ member: GroupMember) -> Fields {
        row(known(member.user)) + [
            ("memberNickname", member.nickname), ("memberRole", member.role.name),
            ("muteExpiredTime", String(member.mutedUntil)),
        ]
    }

    func row(_ message: LocalMessage) -> Fields {
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

    func row(_ conversation: LocalConversation) -> Fields {
        let last = lastMessage(of: conversation.id)
        return [
            ("conversationID", conversation.id.id), ("conversationType", conversation.id.kind.name),
            ("conversationName", conversation.name), ("conversationAlias", conversation.alias),
            ("unreadMessageCount", String(conversation.unreadCount)),
            ("notificationStatus", conversation.notifies ? "notify" : "do-not-disturb"),
            ("isPinned", String(conversation.isPinned)), ("orderKey", String(conversation.orderKey)),
            ("draft", conversation.draft), ("lastMessageID", last?.id ?? ""), ("lastMessage", last?.text ?? ""),
        ]
    }

    func row(_ call: CallInvitation) -> Fields {
        [
            ("callID", call.id), ("caller", call.caller), ("inviter", call.inviter),
            ("createTime", String(call.createTime)), ("endTime", String(call.endTime)),
            ("state", call.endTime == 0 ? "started" : "ended"), ("callUserList", call.users.joined(separator: ",")),
        ]
    }

    func lastMessage(of conversation: ConversationID) -> LocalMessage? { messages[conversation]?.last }

    private static func text(_ attributes: [AnswerField]) -> String {
        attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    }

    private static func text(of reactions: [LocalMessage.Reaction]) -> String {
        var types: [String] = []
        for reaction in reactions where !types.contains(reaction.type) { types.append(reaction.type) }
        return types.map { type in "\(type):\(reactions.count { $0.type == type })" }.joined(separator: ",")
    }

    // MARK: Answers

    func found(_ rows: [Fields], next: String = "") -> LocalAnswer {
        LocalAnswer(.ok, rows.map { AnswerRow($0) }, next: next)
    }

    /// The first page of what stands behind the place where the page before ended.
    ///
    /// - Parameter place: where a page that ends with the entry is gone on from.
    func page<Entry>(
        of behind: [Entry], _ request: LocalRequest, place: (Entry) -> String, _ row: (Entry) -> Fields
    ) -> LocalAnswer {
        let shown = behind.prefix(request.count())
        let next = shown.count < behind.count ? shown.last.map(place) : nil
        return found(shown.map(row), next: next ?? "")
    }

    var done: LocalAnswer { LocalAnswer(.ok) }
    var missing: LocalAnswer { LocalAnswer(.notFound) }
}
