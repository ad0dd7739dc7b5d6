import GRDB
import IMLocalData
import IMProtocol

/// The operations of one transaction on a user's data.
struct UserDataTransaction: UserRecords {
    let database: Database
    let rows: AnswerRows
    let pending = PendingRows()

    func position() throws -> UInt64 {
        // SQLite's integers are signed; the number is not.
        let text = try String.fetchOne(database, sql: "SELECT position FROM owner") ?? "0"
        return UInt64(text) ?? 0
    }

    func setPosition(_ position: UInt64) throws {
        guard try position > self.position() else { return }
        try database.execute(sql: "UPDATE owner SET position = ?", arguments: [String(position)])
    }

    /// Runs a cached statement. A statement for several rows uses `OR FAIL`, because every failure ends the
    /// transaction. If SQLite might have to roll back a single statement, it makes the search index write a segment
    /// before it.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
    }

    /// The statement is not cached, because a cached one could be restarted while its rows are read.
    func cursor(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try flush()
        return try Row.fetchCursor(try database.makeStatement(sql: sql), arguments: arguments)
    }
}
