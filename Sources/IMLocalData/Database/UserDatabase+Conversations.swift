import IMProtocol

// Calls about conversations. Drafts, unread messages and the state of the list belong to this device.

extension UserDatabase {
    func conversationPage(
        _ request: LocalRequest, _ condition: (LocalConversation) -> Bool
    ) -> LocalAnswer {
        let after = Position(request.text("nextConversation"))
        let following = conversations.values.filter { conversation in
            guard conversation.isListed, condition(conversation) else { return false }
            return after.map { conversation.position < $0 } ?? true
        }
        let ordered = following.sorted { $1.position < $0.position }
        return page(of: ordered, request, place: { $0.position.text }, row)
    }

    /// In the order in which the conversations began: a message that arrives between two pages moves none of them.
    func searchConversations(_ request: LocalRequest) -> LocalAnswer {
        let byName = request.choice("mode") == 1
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let filter = MessageFilter(request)
        var left = request.count("totalConversationCount")
        var rows: [Fields] = []
        var last: UInt32 = 0
        for conversation in conversations.values.sorted(by: { $0.serial < $1.serial })
        where conversation.isListed && conversation.serial > flag {
            let texts = [name(of: conversation), conversation.alias]
            let hits = byName ? [] : (messages[conversation.id] ?? []).filter(filter.matches)
            guard byName ? FoldedText.matches(texts, request.list("keywords")) : !hits.isEmpty else { continue }
            guard left > 0 else { return found(rows, next: String(last)) }
            left -= 1
            last = conversation.serial
            rows.append(row(conversation) + [("totalMessageCount", String(hits.count))])
            rows += hits.reversed().prefix(request.count("conversationMessageCount")).map(row)
        }
        return found(rows)
    }

    mutating func markRead(_ ids: [ConversationID]) -> LocalAnswer {
        let unread = ids.filter { conversations[$0]?.unreadCount ?? 0 > 0 }
        for id in unread { read(id) }
        return changed(unread)
    }

    @discardableResult
    mutating func removeFromList(_ ids: [ConversationID]) -> LocalAnswer {
        let listed = ids.filter { conversations[$0]?.isListed == true }
        for id in ids {
            read(id)
            conversations[id]?.removeFromList()
        }
        return changed(listed)
    }

    /// A draft moves its conversation up, and back when it is deleted.
    mutating func setDraft(_ request: LocalRequest) -> LocalAnswer {
        let (id, draft) = (request.conversation, request.text("draft"))
        guard !draft.isEmpty || conversations[id]?.draft.isEmpty == false else { return done }
        let isNew = conversations[id] == nil
        var conversation = conversation(id)
        // It has no messages yet, and is listed only because of its draft.
        if isNew { conversation.isKept = false }
        conversation.draft = draft
        conversation.draftTime = request.deviceMilliseconds
        conversations[id] = conversation
        return changed([id])
    }

    /// The answer with the changed conversations, of which the app is notified (ZIM-9).
    func changed(_ ids: [ConversationID]) -> LocalAnswer {
        LocalAnswer.changed(ids)
    }
}

extension LocalRequest {
    /// True if the conversation matches the request.
    package func filter(_ conversation: LocalConversation) -> Bool {
        let kinds = choices("conversationTypes")
        guard kinds.isEmpty || kinds.contains(Int(conversation.id.kind.rawValue)) else { return false }
        guard !flag("isOnlyUnreadConversation") || conversation.unreadCount > 0 else { return false }
        switch choice("pinnedFilter") {
        case 1: return conversation.isPinned
        case 2: return !conversation.isPinned
        default: return true
        }
    }
}
