import IMProtocol

// The lookups for the rows of answers, and pages of them.

extension UserDatabase {
    typealias Fields = AnswerRows.Fields

    var answerRows: AnswerRows { AnswerRows(owner: owner) }

    /// The stored data of a user; for an unknown one, the id alone.
    func known(_ user: String) -> LocalUser { users[user] ?? LocalUser(id: user) }

    func row(_ user: LocalUser) -> Fields { answerRows.row(user) }
    func row(_ friend: LocalFriend) -> Fields { answerRows.row(friend, known(friend.user)) }
    func row(_ application: FriendApplication) -> Fields { answerRows.row(application) }
    func row(_ application: GroupApplication) -> Fields { answerRows.row(application) }
    func row(_ group: LocalGroup) -> Fields { answerRows.row(group) }
    func row(_ member: GroupMember) -> Fields { answerRows.row(member, known(member.user)) }
    func row(_ message: LocalMessage) -> Fields { answerRows.row(message) }
    func row(_ call: CallInvitation) -> Fields { answerRows.row(call) }

    func fullRow(_ group: LocalGroup) -> Fields {
        answerRows.row(group, memberCount: members[group.id]?.count ?? 0)
    }

    func row(_ conversation: LocalConversation) -> Fields {
        var conversation = conversation
        conversation.name = name(of: conversation)
        return answerRows.row(conversation, last: lastMessage(of: conversation.id))
    }

    /// The name of a conversation: that of its user or group, unless the server set another.
    func name(of conversation: LocalConversation) -> String {
        if !conversation.name.isEmpty { return conversation.name }
        switch conversation.id.kind {
        case .peer: return known(conversation.id.id).name
        case .group: return groups[conversation.id.id]?.name ?? ""
        }
    }

    func lastMessage(of conversation: ConversationID) -> LocalMessage? { messages[conversation]?.last }

    // MARK: Answers

    func found(_ rows: [Fields], next: String = "") -> LocalAnswer {
        LocalAnswer(.ok, rows.map { AnswerRow($0) }, next: next)
    }

    /// The first page of the entries after the end of the page before.
    ///
    /// - Parameter place: returns the start of the page after the one that ends with the entry.
    func page<Entry>(
        of following: [Entry], _ request: LocalRequest, place: (Entry) -> String, _ row: (Entry) -> Fields
    ) -> LocalAnswer {
        let shown = following.prefix(request.count())
        let next = shown.count < following.count ? shown.last.map(place) : nil
        return found(shown.map(row), next: next ?? "")
    }

    var done: LocalAnswer { LocalAnswer(.ok) }
    /// The answer for a message that does not exist.
    var missing: LocalAnswer { LocalAnswer(.notFound) }
    var missingGroup: LocalAnswer { LocalAnswer(.groupNotFound) }
}
