import GRDB
import IMLocalData
import IMProtocol

// Conversations: their list, and this device's own data about them.

extension UserDataTransaction {
    /// A conversation; a new one if it does not exist.
    func begun(_ id: ConversationID) throws -> LocalConversation {
        if let known = try known(id) { return known }
        try run(
            """
            INSERT INTO conversation
            (kind, id, name, alias, avatar, notifies, pinned, unread, draft, orderKey, listed)
            VALUES (?, ?, '', '', '', 1, 0, 0, '', 0, 1)
            """, [id.kind.rawValue, id.id])
        var new = LocalConversation(id: id)
        new.serial = UInt32(truncatingIfNeeded: database.lastInsertedRowID)
        save(new)
        return new
    }

    /// Changes an existing conversation.
    func change(_ id: ConversationID, _ body: (inout LocalConversation) -> Void) throws {
        guard var conversation = try known(id) else { return }
        body(&conversation)
        save(conversation)
    }

    /// All conversations, in the order of their creation.
    func allConversations() throws -> [LocalConversation] {
        try flush()
        return try ConversationColumns.fetchAll(database, sql: ConversationColumns.select + " ORDER BY serial")
            .map(\.conversation)
    }

    func row(_ conversation: LocalConversation) throws -> AnswerRows.Fields {
        var conversation = conversation
        conversation.name = try name(of: conversation)
        return rows.row(conversation, last: try lastMessage(of: conversation.serial))
    }

    /// A conversation has the name of its user or group, unless the server sends another one.
    func name(of conversation: LocalConversation) throws -> String {
        if !conversation.name.isEmpty { return conversation.name }
        switch conversation.id.kind {
        case .peer: return try known(conversation.id.id).name
        case .group:
            guard case .group(let group)? = try entry(.group, conversation.id.id) else { return "" }
            return group.name
        }
    }

    // MARK: Calls

    func conversationPage(
        _ request: LocalRequest, _ condition: (LocalConversation) -> Bool
    ) throws -> LocalAnswer {
        let after = Position(request.text("nextConversation"))
        let pageStart = after.map { PositionKey($0, isEnd: true) }
        try flush()
        let cursor = try ConversationColumns.fetchCursor(
            database,
            sql: """
                \(ConversationColumns.select) WHERE listed \(pageStart == nil ? "" : "AND (pinned, orderKey, serial) < (?, ?, ?)")
                ORDER BY pinned DESC, orderKey DESC, serial DESC
                """, arguments: pageStart?.arguments ?? [])
        let count = request.count()
        var found: [LocalConversation] = []
        while found.count <= count, let columns = try cursor.next() {
            if condition(columns.conversation) { found.append(columns.conversation) }
        }
        let shown = found.prefix(count)
        let next = shown.count < found.count ? shown.last.map { $0.position.text } : nil
        return self.found(try shown.map(row), next: next ?? "")
    }

    func setDraft(_ request: LocalRequest) throws -> LocalAnswer {
        let (id, draft) = (request.conversation, request.text("draft"))
        let known = try known(id)
        guard !draft.isEmpty || known?.draft.isEmpty == false else { return LocalAnswer(.ok) }
        var conversation = try known ?? begun(id)
        // The conversation has no messages: it exists only for its draft.
        if known == nil { conversation.isKept = false }
        conversation.draft = draft
        conversation.draftTime = request.deviceMilliseconds
        save(conversation)
        return .changed([id])
    }

    func removeFromList(_ ids: [ConversationID]) throws -> LocalAnswer {
        let listed = try ids.filter { try known($0)?.isListed == true }
        for id in ids {
            try read(id)
            try change(id) { $0.removeFromList() }
        }
        return .changed(listed)
    }

    func markRead(_ ids: [ConversationID]) throws -> LocalAnswer {
        let unread = try ids.filter { try known($0)?.unreadCount ?? 0 > 0 }
        for id in unread { try read(id) }
        return .changed(unread)
    }

    /// Marks the messages of a conversation up to a time as read.
    func read(_ id: ConversationID, upTo time: Int64 = .max) throws {
        guard let conversation = try known(id), conversation.unreadCount > 0 else { return }
        try run(
            "UPDATE message SET unread = 0 WHERE conversation = ? AND unread AND timestamp <= ?",
            [conversation.serial, time])
        let count = database.changesCount
        try change(id) { $0.unreadCount -= count }
    }
}

/// A position as the database compares it: three numbers. Missing ones are filled up towards the side of the page.
struct PositionKey {
    let arguments: StatementArguments

    /// - Parameter isEnd: true for the rows before it.
    init(_ position: Position, isEnd: Bool) {
        var parts = Array(position.parts.prefix(3))
        // A position with fewer numbers precedes all that begin with them; one with more follows the position that it
        // begins with.
        while parts.count < 3 { parts.append(.min) }
        if position.parts.count > 3, isEnd, parts[2] < .max { parts[2] += 1 }
        arguments = StatementArguments(parts)
    }
}
