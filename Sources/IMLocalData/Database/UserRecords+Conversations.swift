import IMProtocol

// Calls about conversations. Drafts, unread counts and whether a conversation is listed are stored on this device only.

extension UserRecords {
    func conversationPage(
        _ request: LocalRequest, _ condition: (LocalConversation) -> Bool
    ) throws(Failure) -> LocalAnswer {
        let following = try listed(
            after: Position(request.text("nextConversation")), most: request.count() + 1, where: condition)
        return try page(of: following, request, place: { $0.position.text }) { (conversation) throws(Failure) in
            try row(conversation)
        }
    }

    /// Searches conversations in the order in which they were created. This order does not change if a message arrives
    /// between two pages.
    func searchConversations(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let byName = request.choice("mode") == 1
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let keywords = Keywords(request.list("keywords"))
        let filter = MessageFilter(request)
        let grouped = byName ? nil : try matchesByConversation(filter)
        var left = request.count("totalConversationCount")
        var found: [Fields] = []
        var last: UInt32 = 0
        for conversation in try allConversations() where conversation.isListed && conversation.serial > flag {
            var hits: [LocalMessage] = []
            if byName {
                guard keywords.occur(in: [try name(of: conversation), conversation.alias]) else { continue }
            } else {
                if let grouped {
                    hits = grouped[conversation.id] ?? []
                } else {
                    hits = try messages(MessageRange(conversation: conversation), where: filter)
                }
                guard !hits.isEmpty else { continue }
            }
            guard left > 0 else { return self.found(found, next: String(last)) }
            left -= 1
            last = conversation.serial
            found.append(try row(conversation) + [("totalMessageCount", String(hits.count))])
            found += hits.prefix(request.count("conversationMessageCount")).map { rows.row($0) }
        }
        return self.found(found)
    }

    mutating func markRead(_ ids: [ConversationID]) throws(Failure) -> LocalAnswer {
        var unread: [ConversationID] = []
        for id in ids where try storedConversation(id)?.unreadCount ?? 0 > 0 { unread.append(id) }
        for id in unread { try read(id) }
        return .changed(unread)
    }

    mutating func removeFromList(_ ids: [ConversationID]) throws(Failure) -> LocalAnswer {
        var listed: [ConversationID] = []
        for id in ids where try storedConversation(id)?.isListed == true { listed.append(id) }
        for id in ids {
            try read(id)
            try change(id) { $0.removeFromList() }
        }
        return .changed(listed)
    }

    /// Stores or removes a draft. A conversation with a draft is sorted by the time of the draft
    /// (``LocalConversation/orderKey``).
    mutating func setDraft(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let (id, draft) = (request.conversation, request.text("draft"))
        let known = try storedConversation(id)
        guard !draft.isEmpty || known?.draft.isEmpty == false else { return done }
        var conversation = try findOrCreate(id)
        // A conversation without messages is listed only while it has a draft.
        if known == nil { conversation.isKept = false }
        conversation.draft = draft
        conversation.draftTime = request.deviceMilliseconds
        save(conversation)
        return .changed([id])
    }
}

extension LocalRequest {
    /// True if the conversation has the requested type, unread state and pinned state.
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
