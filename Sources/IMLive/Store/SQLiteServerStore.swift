import Foundation
import GRDB
import IMSimulation

/// A server's data between two runs of its process, in a database: its accounts and their passwords, and the tree.
///
/// Only one process at a time can use the file. Saved data remains if the process is killed directly afterwards.
public final class SQLiteServerStore: AccountStore, Sendable {
    private let database: DatabaseQueue
    /// The path and the identity of the file; nil for a store in memory.
    private let file: (path: String, identity: FileIdentity?)?

    /// The row ids of waiting messages and changes, by user, list and number.
    private typealias EntryRowIDs = [String: [String: [UInt64: Int64]]]
    /// The row ids by profile. They are kept in memory, because an index in the file would cost several pages for each
    /// message. Only used on the world's thread.
    nonisolated(unsafe) private var entryRowIDs: [String: EntryRowIDs] = [:]

    /// A store in a file that only its owner can read, created if necessary.
    ///
    /// - Throws: ``StoreError`` if the file cannot be opened, is in use by another process, or is not a store.
    public convenience init(path: String) throws(StoreError) {
        do {
            try PrivateFile.make(path)
        } catch {
            throw StoreError("cannot open the store '\(path)': \(error)")
        }
        try self.init("the store '\(path)'", path) { try DatabaseQueue(path: path, configuration: $0) }
    }

    /// A store in memory, which exists as long as this object.
    public convenience init() throws(StoreError) {
        try self.init("a store in memory", nil) { try DatabaseQueue(configuration: $0) }
    }

    private init(
        _ name: String, _ path: String?, open: (Configuration) throws -> DatabaseQueue
    ) throws(StoreError) {
        database = try StoreFile.open(name, inUse: "server", SQLiteServerStore.migrations) {
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                // Only one server may use a file. Two would overwrite each other's accounts.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            }
            return try open(configuration)
        }
        file = path.map { ($0, FileIdentity(path: $0)) }
    }

    /// Releases the file for other processes; nothing can be saved afterwards.
    public func close() {
        try? database.close()
    }

    static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: accounts, passwords and trees of a server") { database in
            try database.create(table: "account") { table in
                // Gives the order in which accounts were created.
                table.autoIncrementedPrimaryKey("number")
                table.column("profile", .text).notNull()
                table.column("user", .text).notNull()
                table.column("json", .blob).notNull()
                table.uniqueKey(["profile", "user"])
            }
            try database.create(table: "tree") { table in
                table.primaryKey("profile", .text)
                table.column("json", .blob).notNull()
            }
            try database.create(table: "password") { table in
                table.column("profile", .text).notNull()
                table.column("user", .text).notNull()
                table.column("salt", .blob).notNull()
                table.column("rounds", .integer).notNull()
                table.column("hash", .blob).notNull()
                table.primaryKey(["profile", "user"])
            }
        }
        migrator.registerMigration("2: accounts that were removed") { database in
            try database.create(table: "removal") { table in
                // Gives the order of the removals, because the oldest are dropped first.
                table.autoIncrementedPrimaryKey("number")
                table.column("profile", .text).notNull()
                table.column("user", .text).notNull()
                table.column("json", .blob).notNull()
                table.uniqueKey(["profile", "user"])
            }
        }
        migrator.registerMigration("3: waiting messages and changes of accounts, each in a row") { database in
            try database.create(table: "accountRow", options: .withoutRowID) { table in
                table.column("profile", .text).notNull()
                table.column("user", .text).notNull()
                table.column("list", .text).notNull()
                // The bits of an unsigned number, because SQLite's integers are signed.
                table.column("number", .integer).notNull()
                table.column("json", .blob).notNull()
                table.primaryKey(["profile", "user", "list", "number"])
            }
        }
        migrator.registerMigration("4: waiting messages and changes in the order in which they came") { database in
            // With an ascending key, new rows of all accounts are next to each other, mostly on one page.
            try database.execute(
                sql: """
                    CREATE TABLE accountEntry (
                        place INTEGER PRIMARY KEY, profile TEXT NOT NULL, user TEXT NOT NULL, list TEXT NOT NULL,
                        number INTEGER NOT NULL, json BLOB NOT NULL);
                    INSERT INTO accountEntry (profile, user, list, number, json)
                        SELECT profile, user, list, number, json FROM accountRow;
                    DROP TABLE accountRow;
                    """)
        }
        migrator.registerMigration("5: changes of trees") { database in
            try database.execute(
                sql: """
                    CREATE TABLE treeChange (
                        number INTEGER PRIMARY KEY, profile TEXT NOT NULL, json BLOB NOT NULL);
                    """)
        }
        return migrator
    }

    // MARK: Accounts and trees

    public func accounts(profile: String) throws(StoreError) -> [(user: String, json: [UInt8])] {
        try users(
            of: profile, sql: "SELECT user, json FROM account WHERE profile = ? ORDER BY number")
    }

    public func rows(profile: String) throws(StoreError) -> [AccountRow] {
        try run { database in
            try Row.fetchAll(
                database,
                sql: "SELECT user, list, number, json FROM accountEntry WHERE profile = ? ORDER BY user, list, number",
                arguments: [profile]
            ).map { row in
                let (number, json): (Int64, Data) = (row["number"], row["json"])
                return AccountRow(
                    user: row["user"], list: row["list"], number: UInt64(bitPattern: number), json: Array(json))
            }
        }
    }

    public func removals(profile: String) throws(StoreError) -> [(user: String, json: [UInt8])] {
        try users(
            of: profile, sql: "SELECT user, json FROM removal WHERE profile = ? ORDER BY number")
    }

    private func users(of profile: String, sql: String) throws(StoreError) -> [(user: String, json: [UInt8])] {
        try run { database in
            try Row.fetchAll(database, sql: sql, arguments: [profile]).map { row in
                let json: Data = row["json"]
                return (row["user"], Array(json))
            }
        }
    }

    public func tree(profile: String) throws(StoreError) -> [UInt8]? {
        try run { database in
            try Data.fetchOne(database, sql: "SELECT json FROM tree WHERE profile = ?", arguments: [profile])
                .map { Array($0) }
        }
    }

    public func treeChanges(profile: String) throws(StoreError) -> [[UInt8]] {
        try run { database in
            try Data.fetchAll(
                database, sql: "SELECT json FROM treeChange WHERE profile = ? ORDER BY number", arguments: [profile]
            ).map { Array($0) }
        }
    }

    public func save(
        _ changes: [AccountChange], removals: [AccountChange] = [], tree: TreeSave?, profile: String
    ) throws(StoreError) {
        if let file, FileIdentity(path: file.path) != file.identity {
            throw StoreError("the store '\(file.path)' was deleted or replaced; restart the server")
        }
        if entryRowIDs[profile] == nil { entryRowIDs[profile] = try readRowIDs(of: profile) }
        do {
            try run { database in
                for change in removals {
                    // The user's earlier removal is deleted, so that the new one is the latest in the order.
                    try database.cachedStatement(sql: "DELETE FROM removal WHERE profile = ? AND user = ?")
                        .execute(arguments: [profile, change.user])
                    guard let json = change.json else { continue }
                    try database.cachedStatement(sql: "INSERT INTO removal (profile, user, json) VALUES (?, ?, ?)")
                        .execute(arguments: [profile, change.user, Data(json)])
                }
                for change in changes { try save(change, profile, database) }
                switch tree {
                case .whole(let json):
                    try database.execute(sql: "DELETE FROM treeChange WHERE profile = ?", arguments: [profile])
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO tree (profile, json) VALUES (?, ?)",
                        arguments: [profile, Data(json)])
                case .change(let json):
                    try database.cachedStatement(sql: "INSERT INTO treeChange (profile, json) VALUES (?, ?)")
                        .execute(arguments: [profile, Data(json)])
                case nil: break
                }
            }
        } catch {
            // Some of the stored row ids belong to rows that were not committed. The next call reads all of them from
            // the file.
            entryRowIDs[profile] = nil
            throw error
        }
    }

    private func save(_ change: AccountChange, _ profile: String, _ database: Database) throws {
        guard let json = change.json else {
            for list in entryRowIDs[profile]?.removeValue(forKey: change.user)?.values ?? [:].values {
                for rowID in list.values { try removeEntry(at: rowID, database) }
            }
            return try database.cachedStatement(sql: "DELETE FROM account WHERE profile = ? AND user = ?")
                .execute(arguments: [profile, change.user])
        }
        for row in change.rows { try save(row, profile, database) }
        try database.cachedStatement(sql: "UPDATE account SET json = ? WHERE profile = ? AND user = ?")
            .execute(arguments: [Data(json), profile, change.user])
        if database.changesCount > 0 { return }
        try database.cachedStatement(sql: "INSERT INTO account (profile, user, json) VALUES (?, ?, ?)")
            .execute(arguments: [profile, change.user, Data(json)])
    }

    private func save(_ row: AccountRow, _ profile: String, _ database: Database) throws {
        let known = entryRowIDs[profile]?[row.user]?[row.list]?[row.number]
        if let known { try removeEntry(at: known, database) }
        var rowID: Int64?
        if let json = row.json {
            try database.cachedStatement(
                sql: "INSERT INTO accountEntry (profile, user, list, number, json) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [profile, row.user, row.list, Int64(bitPattern: row.number), Data(json)])
            rowID = database.lastInsertedRowID
        }
        entryRowIDs[profile, default: [:]][row.user, default: [:]][row.list, default: [:]][row.number] = rowID
    }

    private func removeEntry(at rowID: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM accountEntry WHERE place = ?").execute(arguments: [rowID])
    }

    private func readRowIDs(of profile: String) throws(StoreError) -> EntryRowIDs {
        try run { database in
            let cursor = try Row.fetchCursor(
                database, sql: "SELECT user, list, number, place FROM accountEntry WHERE profile = ?",
                arguments: [profile])
            var rowIDs: EntryRowIDs = [:]
            while let row = try cursor.next() {
                let (user, list, number): (String, String, Int64) = (row[0], row[1], row[2])
                rowIDs[user, default: [:]][list, default: [:]][UInt64(bitPattern: number)] = row[3]
            }
            return rowIDs
        }
    }

    // MARK: Passwords

    /// The passwords of an application, by user.
    public func passwords(profile: String) throws(StoreError) -> [String: PasswordRecord] {
        try run { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT user, salt, rounds, hash FROM password WHERE profile = ?", arguments: [profile])
            var records: [String: PasswordRecord] = [:]
            for row in rows {
                let (salt, hash): (Data, Data) = (row["salt"], row["hash"])
                records[row["user"]] = PasswordRecord(salt: Array(salt), rounds: row["rounds"], hash: Array(hash))
            }
            return records
        }
    }

    /// Stores the password of a user; nil deletes it.
    public func keep(_ record: PasswordRecord?, of user: String, profile: String) throws(StoreError) {
        try run { database in
            guard let record else {
                return try database.execute(
                    sql: "DELETE FROM password WHERE profile = ? AND user = ?", arguments: [profile, user])
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO password (profile, user, salt, rounds, hash) VALUES (?, ?, ?, ?, ?)",
                arguments: [profile, user, Data(record.salt), record.rounds, Data(record.hash)])
        }
    }

    private func run<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try database.write(body)
        } catch {
            throw StoreError("the store cannot be used: \(error)")
        }
    }
}
