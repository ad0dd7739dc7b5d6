import Foundation
import GRDB
import IMClient
import IMData
import IMProtocol
import IMSimulation

/// What clients keep, in a database.
public final class SQLiteClientStore: ClientStore, Sendable {
    private let database: DatabaseQueue
    nonisolated(unsafe) private let memory = MemoryClientStore()

    /// A store in a file, made when it is not there.
    ///
    /// - Throws: ``StoreError`` when it cannot be opened or is not a store.
    public convenience init(path: String) throws(StoreError) {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(path: path)
        } catch {
            throw StoreError("cannot open the store '\(path)': \(error)")
        }
        try self.init(queue)
    }

    /// A store that lives as long as this value.
    public convenience init() throws(StoreError) {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue()
        } catch {
            throw StoreError("cannot open a store in memory: \(error)")
        }
        try self.init(queue)
    }

    private init(_ database: DatabaseQueue) throws(StoreError) {
        self.database = database
        let migrations = SQLiteClientStore.migrations
        do {
            if let objection = try database.read({ try SQLiteClientStore.objection(to: $0, migrations) }) {
                throw StoreError(objection)
            }
            try migrations.migrate(database)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("the store is not one of ours, or is damaged: \(error)")
        }
    }

    /// Why a file must not be touched, or nil when it is new or ours. The migrator would add its tables to any
    /// database, and would pass over migrations that it does not know.
    private static func objection(to database: Database, _ migrations: DatabaseMigrator) throws -> String? {
        let isEmpty = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") == 0
        guard try isEmpty || database.tableExists("grdb_migrations") else { return "the store is not one of ours" }
        return try migrations.hasBeenSuperseded(database) ? "the store is newer than this version" : nil
    }

    private static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: installations and last logins") { database in
            try database.create(table: "installation") { table in
                table.column("profile", .text).notNull()
                table.column("client", .text).notNull()
                table.column("device", .text).notNull()
                table.primaryKey(["profile", "client"])
            }
            try database.create(table: "login") { table in
                table.column("profile", .text).notNull()
                table.column("client", .text).notNull()
                table.column("lastUser", .text)
                table.column("credentialReference", .text).notNull()
                table.column("lastEpoch", .text).notNull()
                table.column("lastResult", .integer)
                table.column("autologinAllowed", .boolean).notNull()
                table.primaryKey(["profile", "client"])
            }
        }
        migrator.registerMigration("2: local data, and when a token expires") { database in
            try database.alter(table: "login") { table in
                table.add(column: "expiresAtMilliseconds", .integer).notNull().defaults(to: 0)
            }
            try database.create(table: "item") { table in
                table.autoIncrementedPrimaryKey("number")
                table.column("profile", .text).notNull()
                table.column("client", .text).notNull()
                table.column("user", .text).notNull()
                table.column("kind", .integer).notNull()
                table.column("id", .text).notNull()
                table.column("text", .text).notNull()
                table.uniqueKey(["profile", "client", "user", "kind", "id"])
            }
        }
        migrator.registerMigration("3: what was received") { database in
            try database.alter(table: "login") { table in
                // Numbers that a server gave, as JSON.
                table.add(column: "received", .text)
            }
        }
        return migrator
    }

    public func installation(profile: String, client: String, proposed: String) throws(StoreError) -> String {
        try run { database in
            if let kept = try String.fetchOne(
                database, sql: "SELECT device FROM installation WHERE profile = ? AND client = ?",
                arguments: [profile, client])
            {
                return kept
            }
            try database.execute(
                sql: "INSERT INTO installation (profile, client, device) VALUES (?, ?, ?)",
                arguments: [profile, client, proposed])
            return proposed
        }
    }

    public func load(profile: String, client: String) throws(StoreError) -> LocalData {
        try run { database in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM login WHERE profile = ? AND client = ?",
                    arguments: [profile, client])
            else { return LocalData() }
            let result: UInt8? = row["lastResult"]
            let epoch: String = row["lastEpoch"]
            return LocalData(
                lastUser: row["lastUser"], credentialReference: row["credentialReference"],
                expiresAtMilliseconds: row["expiresAtMilliseconds"], lastEpoch: LoginEpoch(epoch) ?? 0,
                lastResult: result.flatMap(Status.init(rawValue:)), autologinAllowed: row["autologinAllowed"],
                items: try SQLiteClientStore.items(in: database, profile: profile, client: client),
                received: try SQLiteClientStore.received(row["received"]))
        }
    }

    private static func received(_ json: String?) throws -> ReceivedNumbers {
        guard let json else { return ReceivedNumbers() }
        return try JSONDecoder().decode(ReceivedNumbers.self, from: Data(json.utf8))
    }

    /// What is kept of groups, messages and notifications, oldest first and no more than a client holds.
    private static func items(in database: Database, profile: String, client: String) throws -> [LocalItem] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT user, kind, id, text FROM
                (SELECT * FROM item WHERE profile = ? AND client = ? ORDER BY number DESC LIMIT ?) ORDER BY number
                """,
            arguments: [profile, client, ClientMachine.itemCountMax])
        return rows.compactMap { row in
            LocalItem.Kind(rawValue: row["kind"]).map {
                LocalItem(user: row["user"], kind: $0, id: row["id"], text: row["text"])
            }
        }
    }

    public func keep(_ items: [LocalItem], profile: String, client: String) throws(StoreError) {
        try run { database in
            for item in items {
                try database.cachedStatement(
                    sql: """
                        INSERT OR IGNORE INTO item (profile, client, user, kind, id, text) VALUES (?, ?, ?, ?, ?, ?)
                        """
                ).execute(arguments: [profile, client, item.user, item.kind.rawValue, item.id, item.text])
            }
            try database.execute(
                sql: """
                    DELETE FROM item WHERE profile = ?1 AND client = ?2 AND number <= (SELECT number FROM item
                    WHERE profile = ?1 AND client = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
                    """,
                arguments: [profile, client, ClientMachine.itemCountMax])
        }
    }

    public func save(_ data: LocalData, profile: String, client: String) throws(StoreError) {
        try run { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO login
                    (profile, client, lastUser, credentialReference, expiresAtMilliseconds, lastEpoch, lastResult,
                    autologinAllowed, received)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    profile, client, data.lastUser, data.credentialReference, data.expiresAtMilliseconds,
                    // SQLite's integers are signed; the epoch is not.
                    String(data.lastEpoch), data.lastResult?.rawValue, data.autologinAllowed,
                    String(decoding: try JSONEncoder().encode(data.received), as: UTF8.self),
                ])
        }
    }

    // Kept in memory for now: the file of a user comes with the database.
    public func data(of user: String, profile: String, client: String) -> any UserDataStore {
        memory.data(of: user, profile: profile, client: client)
    }

    public func closeData(profile: String, client: String) {}

    private func run<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try database.write(body)
        } catch {
            // SQLite's own word for it, without the statement that failed.
            let reason = (error as? DatabaseError)?.message ?? "\(error)"
            throw StoreError("the store cannot be used: \(reason)")
        }
    }
}

/// Why local data cannot be kept or read, in one line.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
