import GRDB
import IMLocalData

/// Rows that many changes of one transaction use. Each is read once, and written once before a query needs it.
final class PendingRows {
    /// The conversations that were read, with their new values.
    fileprivate(set) var conversations: [ConversationID: LocalConversation] = [:]
    fileprivate var changed: Set<ConversationID> = []
    /// The ids of conversations, by their numbers in the database.
    var conversationIDs: [Int64: ConversationID] = [:]
    /// True if the user has removed any message by its name; nil if the database was not queried yet.
    var hasRemoved: Bool?
    /// The number of the last new message; nil for none.
    var lastInserted: Int64?
    /// The number of the last message in the search index; nil if the database was not queried yet.
    fileprivate var lastIndexed: Int64?
    fileprivate var blocks: [Int64: ClosedRange<Int64>] = [:]
}

extension UserDataTransaction {
    /// The number of messages in a block of `message_block`.
    static let blockSize: Int64 = 1024

    func storedConversation(_ id: ConversationID) throws -> LocalConversation? {
        if let known = pending.conversations[id] { return known }
        let statement = try database.cachedStatement(sql: ConversationColumns.select + " WHERE kind = ? AND id = ?")
        guard let known = try ConversationColumns.fetchOne(statement, arguments: [id.kind.rawValue, id.id]) else {
            return nil
        }
        pending.conversations[id] = known.conversation
        return known.conversation
    }

    /// Stores the new value of a conversation.
    func save(_ conversation: LocalConversation) {
        pending.conversations[conversation.id] = conversation
        pending.changed.insert(conversation.id)
    }

    /// Records the time of a message, so that the range of its block includes it.
    func noteBlock(of localID: Int64, at timestamp: Int64) {
        let block = localID / Self.blockSize
        let known = pending.blocks[block] ?? timestamp...timestamp
        pending.blocks[block] = min(known.lowerBound, timestamp)...max(known.upperBound, timestamp)
    }

    /// Writes the pending rows.
    func flush() throws {
        for id in pending.changed {
            guard let conversation = pending.conversations[id] else { continue }
            try write(conversation)
        }
        pending.changed = []
        if let last = pending.lastInserted, try last - lastIndexed() >= Self.unindexedMax { try indexMessages() }
        try writeBlocks()
    }

    // MARK: The search index

    /// The number of messages that are added to the index together. Each addition writes several pages, no matter how
    /// many messages it contains.
    private static let unindexedMax: Int64 = 256

    /// The number of the last message in the index. The index contains all messages up to it, and no later ones.
    func lastIndexed() throws -> Int64 {
        if let last = pending.lastIndexed { return last }
        let last = try Int64.fetchOne(database.cachedStatement(sql: "SELECT indexed FROM owner")) ?? 0
        pending.lastIndexed = last
        return last
    }

    /// Adds all messages to the index that are not in it.
    func indexMessages() throws {
        let cursor = try Row.fetchCursor(
            try database.makeStatement(
                sql: "SELECT localID, timestamp, text, fileName FROM message WHERE localID > ? ORDER BY localID"),
            arguments: [lastIndexed()])
        var last: Int64?
        while let row = try cursor.next() {
            let number: Int64 = row["localID"]
            noteBlock(of: number, at: row["timestamp"])
            let terms = Bigrams.terms(of: row["text"], fileName: row["fileName"])
            if !terms.isEmpty { try run("INSERT INTO gram (rowid, terms) VALUES (?, ?)", [number, terms]) }
            last = number
        }
        pending.lastInserted = nil
        guard let last else { return }
        try run("UPDATE owner SET indexed = ?", [last])
        pending.lastIndexed = last
        try writeBlocks()
    }

    private func writeBlocks() throws {
        for (block, range) in pending.blocks {
            try run(
                """
                INSERT INTO message_block VALUES (?, ?, ?) ON CONFLICT DO UPDATE
                SET oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)
                """, [block, range.lowerBound, range.upperBound])
        }
        pending.blocks = [:]
    }

    private func write(_ conversation: LocalConversation) throws {
        try run(
            """
            UPDATE conversation SET name = ?, alias = ?, avatar = ?, notifies = ?, pinned = ?, unread = ?, draft = ?,
            orderKey = ?, listed = ?, messageTime = ?, draftTime = ?, kept = ?, cleared = ?, marks = ? WHERE serial = ?
            """,
            [
                conversation.name, conversation.alias, conversation.avatarURL, conversation.notifies,
                conversation.isPinned, conversation.unreadCount, conversation.draft, conversation.orderKey,
                conversation.isListed, conversation.messageTime, conversation.draftTime, conversation.isKept,
                conversation.clearedThrough?.text, conversation.marks.text, conversation.serial,
            ])
    }
}
