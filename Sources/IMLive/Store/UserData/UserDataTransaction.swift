import GRDB
import IMLocalData
import IMProtocol

/// The operations of one transaction on a user's data.
struct UserDataTransaction: UserRecords {
    let database: Database
    let rows: AnswerRows
    let pending = PendingRows()

    func position() throws -> UInt64 {
        // The position is stored as text, because it is an unsigned number and SQLite's integers are signed.
        let text = try String.fetchOne(database, sql: "SELECT position FROM owner") ?? "0"
        return UInt64(text) ?? 0
    }

    func setPosition(_ position: UInt64) throws {
        guard try position > self.position() else { return }
        try database.execute(sql: "UPDATE owner SET position = ?", arguments: [String(position)])
    }

    /// Runs a cached statement. A statement for several rows uses `OR FAIL`: a failure then does not undo the
    /// statement, but it ends the whole transaction. Without `OR FAIL`, SQLite prepares to undo the statement and makes
    /// the search index write a segment first.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Reads the rows of a statement. The statement is not cached, because a cached one could be restarted while its
    /// rows are read.
    func cursor(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try flush()
        return try Row.fetchCursor(try database.makeStatement(sql: sql), arguments: arguments)
    }
}
