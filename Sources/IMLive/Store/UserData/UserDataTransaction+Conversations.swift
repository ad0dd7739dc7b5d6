import GRDB
import IMLocalData
import IMProtocol

// Conversations: their list, and what is this device's own in them.

extension UserDataTransaction {
    /// A conversation as it is; one that is not there begins.
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

    /// Changes a conversation that is there.
    func change(_ id: ConversationID, _ body: (inout LocalConversation) -> Void) throws {
        guard var conversation = try known(id) else { return }
        body(&conversation)
        save(conversation)
    }

    /// All of them, in the order in which they began.
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

    /// A conversation is called like its user or group, unless the server says otherwise.
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
        let place = after.map { Bound($0, isEnd: true) }
        try flush()
        let cursor = try ConversationColumns.fetchCursor(
            database,
            sql: """
                \(ConversationColumns.select) WHERE listed \(place == nil ? "" : "AND (pinned, orderKey, serial) < (?, ?, ?)")
                ORDER BY pinned DESC, orderKey DESC, serial DESC
                """, arguments: place?.arguments ?? [])
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
        // Nothing was said in it yet: it is there for its draft alone.
        if known == nil { conversation.isKept = false }
        conversation.draft = draft
        conversation.draftTime = request.deviceMilliseconds
        save(conversation)
        return .changed([id])
    }

    func takeOffList(_ ids: [ConversationID]) throws -> LocalAnswer {
        let listed = try ids.filter { try known($0)?.isListed == true }
        for id in ids {
            try read(id)
            try change(id) { $0.takeOffList() }
        }
        return .changed(listed)
    }

    func markRead(_ ids: [ConversationID]) throws -> LocalAnswer {
        let unread = try ids.filter { try known($0)?.unreadCount ?? 0 > 0 }
        for id in unread { try read(id) }
        return .changed(unread)
    }

    /// Messages of a conversation up to a time are read.
    func read(_ id: ConversationID, upTo time: Int64 = .max) throws {
        guard let conversation = try known(id), conversation.unreadCount > 0 else { return }
        try run(
            "UPDATE message SET unread = 0 WHERE conversation = ? AND unread AND timestamp <= ?",
            [conversation.serial, time])
        let count = database.changesCount
        try change(id) { $0.unreadCount -= count }
    }
}

/// A place of a page as the database compares it: three numbers, filled up on the side that the page lies on.
struct Bound {
    let arguments: StatementArguments

    /// - Parameter isEnd: whether what comes before it is wanted.
    init(_ position: Position, isEnd: Bool) {
        var parts = Array(position.parts.prefix(3))
        // A place with fewer numbers lies before all that begin like it; one with more behind the one that it begins like.
        while parts.count < 3 { parts.append(.min) }
        if position.parts.count > 3, isEnd, parts[2] < .max { parts[2] += 1 }
        arguments = StatementArguments(parts)
    }
}
