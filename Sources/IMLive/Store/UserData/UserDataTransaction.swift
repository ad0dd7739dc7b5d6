import GRDB
import IMLocalData
import IMProtocol

/// What is done to a user's data in one transaction.
struct UserDataTransaction {
    let database: Database
    let rows: AnswerRows
    let pending = PendingRows()

    var owner: String { rows.owner }

    func position() throws -> UInt64 {
        // SQLite's integers are signed; the number is not.
        let text = try String.fetchOne(database, sql: "SELECT position FROM owner") ?? "0"
        return UInt64(text) ?? 0
    }

    func setPosition(_ position: UInt64) throws {
        guard try position > self.position() else { return }
        try database.execute(sql: "UPDATE owner SET position = ?", arguments: [String(position)])
    }

    /// Runs a statement that is prepared once. One of several rows says `OR FAIL`, since whatever fails ends the transaction:
    /// where SQLite might have to take back a statement alone, it has the index for searching write a piece before it.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
    }

    /// A statement of its own: one that is prepared once could be begun anew in the midst of its rows.
    func cursor(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try flush()
        return try Row.fetchCursor(try database.makeStatement(sql: sql), arguments: arguments)
    }

    func found(_ rows: [AnswerRows.Fields], next: String = "") -> LocalAnswer {
        LocalAnswer(.ok, rows.map { AnswerRow($0) }, next: next)
    }
}
