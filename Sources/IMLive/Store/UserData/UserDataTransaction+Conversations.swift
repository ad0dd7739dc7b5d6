import GRDB
import IMLocalData
import IMProtocol

// The list of conversations, and the data about them that only this device has.

extension UserDataTransaction {
    func findOrCreate(_ id: ConversationID) throws -> LocalConversation {
        if let known = try storedConversation(id) { return known }
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

    func allConversations() throws -> [LocalConversation] {
        try flush()
        return try ConversationColumns.fetchAll(database, sql: ConversationColumns.select + " ORDER BY serial")
            .map(\.conversation)
    }

    func listed(
        after position: Position?, most: Int, where condition: (LocalConversation) -> Bool
    ) throws -> [LocalConversation] {
        let pageStart = position.map { PositionKey($0, isEnd: true) }
        try flush()
        let cursor = try ConversationColumns.fetchCursor(
            database,
            sql: """
                \(ConversationColumns.select) WHERE listed \(pageStart == nil ? "" : "AND (pinned, orderKey, serial) < (?, ?, ?)")
                ORDER BY pinned DESC, orderKey DESC, serial DESC
                """, arguments: pageStart?.arguments ?? [])
        var found: [LocalConversation] = []
        while found.count < most, let columns = try cursor.next() {
            if condition(columns.conversation) { found.append(columns.conversation) }
        }
        return found
    }

    func markRead(in conversation: LocalConversation, upTo time: Int64) throws -> Int {
        try run(
            "UPDATE message SET unread = 0 WHERE conversation = ? AND unread AND timestamp <= ?",
            [conversation.serial, time])
        return database.changesCount
    }
}

/// A position as the three numbers that the database compares. A missing number becomes the smallest one.
struct PositionKey {
    let arguments: StatementArguments

    /// - Parameter isEnd: true if the position is the end of a range of rows, and not its start.
    init(_ position: Position, isEnd: Bool) {
        var parts = Array(position.parts.prefix(3))
        // A position with fewer numbers precedes all positions that begin with them. A position with more numbers
        // follows the one that it begins with.
        while parts.count < 3 { parts.append(.min) }
        if position.parts.count > 3, isEnd, parts[2] < .max { parts[2] += 1 }
        arguments = StatementArguments(parts)
    }
}
