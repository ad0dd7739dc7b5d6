import GRDB
import IMLocalData
import IMProtocol

/// A conversation that is read by the indices of its columns. A `Row` would copy the names of its columns, which costs
/// more than all of its values, and most messages of a sync need a conversation.
struct ConversationColumns: DatabaseValueConvertible, StatementColumnConvertible {
    let conversation: LocalConversation

    // `coalesce` replaces NULL, which a damaged file may contain.
    static let select = """
        SELECT serial, kind, coalesce(id, ''), coalesce(name, ''), coalesce(alias, ''), coalesce(avatar, ''), notifies,
        pinned, unread, coalesce(draft, ''), messageTime, draftTime, kept, coalesce(cleared, ''),
        coalesce(marks, '')
        FROM conversation
        """

    /// Reads the statement's current row; the first column is at `index`.
    init?(sqliteStatement row: SQLiteStatement, index: CInt) {
        func text(_ column: CInt) -> String { String(sqliteStatement: row, index: index + column) }
        func number(_ column: CInt) -> Int64 { Int64(sqliteStatement: row, index: index + column) }
        let kind = ConversationID.Kind(rawValue: UInt8(truncatingIfNeeded: number(1))) ?? .peer
        var conversation = LocalConversation(id: ConversationID(kind: kind, id: text(2)), name: text(3))
        conversation.serial = UInt32(truncatingIfNeeded: number(0))
        conversation.alias = text(4)
        conversation.avatarURL = text(5)
        conversation.notifies = number(6) != 0
        conversation.isPinned = number(7) != 0
        conversation.unreadCount = Int(number(8))
        conversation.draft = text(9)
        conversation.messageTime = number(10)
        conversation.draftTime = number(11)
        conversation.isKept = number(12) != 0
        conversation.clearedThrough = Position(text(13))
        conversation.marks = ConversationMarks(text: text(14))
        self.conversation = conversation
    }

    // GRDB requires these two members. They are not used, because a conversation is only read from a statement.
    var databaseValue: DatabaseValue { conversation.serial.databaseValue }
    static func fromDatabaseValue(_ value: DatabaseValue) -> ConversationColumns? { nil }
}
