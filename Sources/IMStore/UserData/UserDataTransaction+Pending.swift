import GRDB
import IMData

/// Rows that many changes of one transaction touch: read once, written once, before anything asks the database for them.
final class PendingRows {
    /// Conversations as they are to be.
    fileprivate(set) var conversations: [ConversationID: LocalConversation] = [:]
    fileprivate var changed: Set<ConversationID> = []
    /// Whose messages those of a conversation's number are.
    var conversationIDs: [Int64: ConversationID] = [:]
    /// Whether any message was taken away by name; nil before somebody looked.
    var hasRemoved: Bool?
    fileprivate var blocks: [Int64: ClosedRange<Int64>] = [:]
}

extension UserDataTransaction {
    /// So many messages, by their numbers, are a block; see `message_block`.
    static let blockSize: Int64 = 1024

    func known(_ id: ConversationID) throws -> LocalConversation? {
        if let known = pending.conversations[id] { return known }
        let statement = try database.cachedStatement(sql: ConversationColumns.select + " WHERE kind = ? AND id = ?")
        guard let known = try ConversationColumns.fetchOne(statement, arguments: [id.kind.rawValue, id.id]) else {
            return nil
        }
        pending.conversations[id] = known.conversation
        return known.conversation
    }

    /// Remembers what a conversation is to be.
    func save(_ conversation: LocalConversation) {
        pending.conversations[conversation.id] = conversation
        pending.changed.insert(conversation.id)
    }

    /// A message of that number lies in that time, among others of its block.
    func noteBlock(of localID: Int64, at timestamp: Int64) {
        let block = localID / Self.blockSize
        let known = pending.blocks[block] ?? timestamp...timestamp
        pending.blocks[block] = min(known.lowerBound, timestamp)...max(known.upperBound, timestamp)
    }

    /// Writes what is remembered.
    func flush() throws {
        for id in pending.changed {
            guard let conversation = pending.conversations[id] else { continue }
            try write(conversation)
        }
        pending.changed = []
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
