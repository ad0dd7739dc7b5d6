import GRDB
import IMData
import IMProtocol

// Conversations: their list, and what is this device's own in them.

extension UserDataTransaction {
    func conversation(_ row: Row) -> LocalConversation {
        var conversation = LocalConversation(
            id: ConversationID(kind: ConversationID.Kind(rawValue: row["kind"]) ?? .peer, id: row["id"]),
            name: row["name"])
        conversation.alias = row["alias"]
        conversation.avatarURL = row["avatar"]
        conversation.notifies = row["notifies"]
        conversation.isPinned = row["pinned"]
        conversation.unreadCount = row["unread"]
        conversation.draft = row["draft"]
        conversation.orderKey = row["orderKey"]
        conversation.isListed = row["listed"]
        conversation.serial = row["serial"]
        let cleared: String? = row["cleared"]
        conversation.clearedThrough = cleared.flatMap { Position($0) }
        return conversation
    }

    func known(_ id: ConversationID) throws -> LocalConversation? {
        try row("SELECT * FROM conversation WHERE kind = ? AND id = ?", [id.kind.rawValue, id.id]).map(conversation)
    }

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
        return new
    }

    func save(_ conversation: LocalConversation) throws {
        try run(
            """
            UPDATE conversation SET name = ?, alias = ?, avatar = ?, notifies = ?, pinned = ?, unread = ?, draft = ?,
            orderKey = ?, listed = ?, cleared = ? WHERE serial = ?
            """,
            [
                conversation.name, conversation.alias, conversation.avatarURL, conversation.notifies,
                conversation.isPinned, conversation.unreadCount, conversation.draft, conversation.orderKey,
                conversation.isListed, conversation.clearedThrough?.text, conversation.serial,
            ])
    }

    /// Changes a conversation that is there.
    func change(_ id: ConversationID, _ body: (inout LocalConversation) -> Void) throws {
        guard var conversation = try known(id) else { return }
        body(&conversation)
        try save(conversation)
    }

    /// All of them, in the order in which they began.
    func allConversations() throws -> [LocalConversation] {
        let cursor = try cursor("SELECT * FROM conversation ORDER BY serial")
        var all: [LocalConversation] = []
        while let row = try cursor.next() { all.append(conversation(row)) }
        return all
    }

    func row(_ conversation: LocalConversation) throws -> AnswerRows.Fields {
        rows.row(conversation, last: try lastMessage(of: conversation.serial))
    }

    // MARK: Calls

    func conversationPage(
        _ request: LocalRequest, _ condition: (LocalConversation) -> Bool
    ) throws -> LocalAnswer {
        let after = Position(request.text("nextConversation"))
        let place = after.map { Bound($0, isEnd: true) }
        let cursor = try cursor(
            """
            SELECT * FROM conversation WHERE listed \(place == nil ? "" : "AND (pinned, orderKey, serial) < (?, ?, ?)")
            ORDER BY pinned DESC, orderKey DESC, serial DESC
            """, place?.arguments ?? [])
        let count = request.count()
        var found: [LocalConversation] = []
        while found.count <= count, let row = try cursor.next() {
            let conversation = conversation(row)
            if condition(conversation) { found.append(conversation) }
        }
        let shown = found.prefix(count)
        let next = shown.count < found.count ? shown.last.map { $0.position.text } : nil
        return self.found(try shown.map(row), next: next ?? "")
    }

    func setDraft(_ request: LocalRequest) throws {
        var conversation = try begun(request.conversation)
        conversation.draft = request.text("draft")
        if !conversation.draft.isEmpty { conversation.moveUp(at: request.deviceMilliseconds) }
        try save(conversation)
    }

    func takeOffList(_ id: ConversationID) throws {
        try change(id) { conversation in
            conversation.isListed = false
            conversation.unreadCount = 0
            conversation.draft = ""
        }
    }

    func takeAllOffList() throws { try run("UPDATE conversation SET listed = 0, unread = 0, draft = ''") }

    /// Everything up to a time was read elsewhere.
    func readElsewhere(_ id: ConversationID, upTo time: Int64) throws {
        guard let conversation = try known(id) else { return }
        let unread: Int =
            try row(
                """
                SELECT COUNT(*) FROM message WHERE conversation = ? AND timestamp > ? AND sender <> ? AND NOT inserted
                """, [conversation.serial, time, owner])?[0] ?? 0
        try change(id) { $0.unreadCount = min($0.unreadCount, unread) }
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
