import IMProtocol

// Calls about conversations. Drafts, unread messages and what stands in the list are this device's own.

extension UserDatabase {
    func conversationPage(
        _ request: LocalRequest, _ condition: (LocalConversation) -> Bool
    ) -> LocalAnswer {
        let after = Position(request.text("nextConversation"))
        let behind = conversations.values.filter { conversation in
            guard conversation.isListed, condition(conversation) else { return false }
            return after.map { conversation.position < $0 } ?? true
        }
        let ordered = behind.sorted { $1.position < $0.position }
        return page(of: ordered, request, place: { $0.position.text }, row)
    }

    /// In the order in which the conversations began: a message that comes between two pages moves none of them.
    func searchConversations(_ request: LocalRequest) -> LocalAnswer {
        let byName = request.choice("mode") == 1
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let filter = MessageFilter(request)
        var left = request.count("totalConversationCount")
        var rows: [Fields] = []
        var last: UInt32 = 0
        for conversation in conversations.values.sorted(by: { $0.serial < $1.serial })
        where conversation.isListed && conversation.serial > flag {
            let texts = [conversation.name, conversation.alias]
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
        for id in ids { conversations[id]?.unreadCount = 0 }
        return done
    }

    mutating func takeOffList(_ ids: [ConversationID]) -> LocalAnswer {
        for id in ids { takeOffList(id) }
        return done
    }

    mutating func takeOffList(_ id: ConversationID) {
        conversations[id]?.isListed = false
        conversations[id]?.unreadCount = 0
        conversations[id]?.draft = ""
    }

    /// A draft moves its conversation up.
    mutating func setDraft(_ request: LocalRequest) -> LocalAnswer {
        let id = request.conversation
        var conversation = conversation(id)
        conversation.draft = request.text("draft")
        if !conversation.draft.isEmpty { conversation.moveUp(at: request.deviceMilliseconds) }
        conversations[id] = conversation
        return done
    }
}

extension LocalRequest {
    /// Whether a conversation is asked for.
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
