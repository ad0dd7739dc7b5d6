import Foundation
import GRDB
import IMClient
import IMLocalData
import IMProtocol
import IMSimulation
import IMTree

/// The clients' stored data, in a database.
public final class SQLiteClientStore: ClientStore, Sendable {
    private let database: DatabaseQueue
    /// The path of the file; nil for a store in memory.
    private let path: String?
    private let identity: FileIdentity?
    private let progress: WorkProgress?
    /// Used on the world's thread only, like the store itself.
    nonisolated(unsafe) private var openData: [DataName: SQLiteUserData] = [:]
    nonisolated(unsafe) private var openTrees: [String: SQLiteTreeStore] = [:]
    nonisolated(unsafe) private let memory = MemoryClientStore()

    /// A store in a file, created if necessary.
    ///
    /// - Parameter progress: receives the progress of exports and imports of local data.
    /// - Throws: ``StoreError`` if the file cannot be opened or is not a store.
    public convenience init(path: String, progress: WorkProgress? = nil) throws(StoreError) {
        do {
            try PrivateFile.make(path)
        } catch {
            throw StoreError("cannot open the store '\(path)': \(error)")
        }
        try self.init("the store '\(path)'", path, progress) {
            var configuration = Configuration()
            // Two shells may use one store. Then each waits until the other has finished its transaction.
            configuration.busyMode = .timeout(StoreWaiting.seconds)
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// A store in memory, which exists as long as this object.
    public convenience init() throws(StoreError) {
        try self.init("a store in memory", nil, nil) { try DatabaseQueue() }
    }

    private init(
        _ name: String, _ path: String?, _ progress: WorkProgress?, open: () throws -> DatabaseQueue
    ) throws(StoreError) {
        database = try StoreFile.open(name, inUse: "process; try again later", SQLiteClientStore.migrations, open)
        self.progress = progress
        self.path = path
        identity = path.flatMap(FileIdentity.init(path:))
    }

    static var migrations: DatabaseMigrator {
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
                // A `ReceivedNumbers` as JSON.
                table.add(column: "received", .text)
            }
        }
        migrator.registerMigration("4: what the server is to be told") { database in
            try database.alter(table: "login") { table in
                // An `UnsentChanges` as JSON.
                table.add(column: "unsent", .text)
            }
        }
        migrator.registerMigration("5: items without a table of the last numbers") { database in
            try database.execute(
                sql: """
                    CREATE TABLE newItem (
                        number INTEGER PRIMARY KEY, profile TEXT NOT NULL, client TEXT NOT NULL, user TEXT NOT NULL,
                        kind INTEGER NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL,
                        UNIQUE (profile, client, user, kind, id));
                    INSERT INTO newItem SELECT number, profile, client, user, kind, id, text FROM item ORDER BY number;
                    DROP TABLE item;
                    ALTER TABLE newItem RENAME TO item;
                    """)
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
                received: try SQLiteClientStore.decoded(row["received"]) ?? ReceivedNumbers(),
                unsent: try SQLiteClientStore.decoded(row["unsent"]) ?? UnsentChanges())
        }
    }

    private static func decoded<Value: Decodable>(_ json: String?) throws -> Value? {
        try json.map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }

    /// The stored groups, messages and notifications, oldest first, up to the number that a client keeps.
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

    /// The number of new items after which the items beyond the limit are removed. They are not removed after each
    /// item, because finding them requires reading all items.
    static let trimInterval: Int64 = 64

    public func keep(_ items: [LocalItem], profile: String, client: String) throws(StoreError) {
        try run { database in
            var isTrimDue = false
            for item in items {
                try database.cachedStatement(
                    sql: """
                        INSERT OR IGNORE INTO item (profile, client, user, kind, id, text) VALUES (?, ?, ?, ?, ?, ?)
                        """
                ).execute(arguments: [profile, client, item.user, item.kind.rawValue, item.id, item.text])
                guard database.changesCount > 0 else { continue }
                isTrimDue = isTrimDue || database.lastInsertedRowID % Self.trimInterval == 0
            }
            guard isTrimDue else { return }
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
            // An update changes only the row. Replacing the row would also change the index of the table.
            try database.cachedStatement(
                sql: """
                    INSERT INTO login
                    (profile, client, lastUser, credentialReference, expiresAtMilliseconds, lastEpoch, lastResult,
                    autologinAllowed, received, unsent)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (profile, client) DO UPDATE SET lastUser = excluded.lastUser,
                    credentialReference = excluded.credentialReference,
                    expiresAtMilliseconds = excluded.expiresAtMilliseconds, lastEpoch = excluded.lastEpoch,
                    lastResult = excluded.lastResult, autologinAllowed = excluded.autologinAllowed,
                    received = excluded.received, unsent = excluded.unsent
                    """
            ).execute(
                arguments: [
                    profile, client, data.lastUser, data.credentialReference, data.expiresAtMilliseconds,
                    // The epoch is stored as text, because it is an unsigned number and SQLite's integers are signed.
                    String(data.lastEpoch), data.lastResult?.rawValue, data.autologinAllowed,
                    String(decoding: try JSONEncoder().encode(data.received), as: UTF8.self),
                    String(decoding: try JSONEncoder().encode(data.unsent), as: UTF8.self),
                ])
        }
    }

    // MARK: Local data

    /// The local data of a user on a client's device. Each user has a file, in a folder beside the store that is named
    /// after the store.
    public func data(of user: String, profile: String, client: String) throws(StoreError) -> any UserDataStore {
        guard let path else { return memory.data(of: user, profile: profile, client: client) }
        let name = DataName(profile: profile, client: client, user: user)
        if let open = openData[name] { return open }
        let folder = try makeFolder(beside: path)
        let data = try SQLiteUserData(path: "\(folder)/\(name.file)", owner: user, progress: progress)
        openData[name] = data
        return data
    }

    private func makeFolder(beside path: String) throws(StoreError) -> String {
        let folder = path + ".data"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError("the folder '\(folder)' for local data cannot be made: \(error.localizedDescription)")
        }
        return folder
    }

    /// The tree that a client's device stores. Each client has a file, in the same folder as the local data.
    public func tree(profile: String, client: String) throws(StoreError) -> any TreeStore {
        guard let path else { return memory.tree(profile: profile, client: client) }
        let name = "\(profile)-\(client)"
        if let open = openTrees[name] { return open }
        let tree = try SQLiteTreeStore(path: "\(try makeFolder(beside: path))/\(name).tree.sqlite")
        openTrees[name] = tree
        return tree
    }

    public func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) throws(StoreError) {
        try MessageArchive.write(messages, of: user, to: folder, progress: progress)
    }

    public func readExport(_ folder: String, for user: String) throws(StoreError) -> [LocalMessage] {
        try MessageArchive.read(folder, for: user, progress: progress)
    }

    public func closeData(profile: String, client: String) {
        openTrees.removeValue(forKey: "\(profile)-\(client)")?.close()
        for name in openData.keys where name.profile == profile && name.client == client {
            // An error is ignored. Data that cannot be written is lost, as when a process is killed.
            try? openData.removeValue(forKey: name)?.close()
        }
    }

    /// The key of a user's local data. The file's name contains the user's name in hexadecimal digits, because a user's
    /// name may contain any character.
    private struct DataName: Hashable {
        var profile: String
        var client: String
        var user: String

        var file: String {
            let digits = Array("0123456789abcdef")
            let name = user.utf8.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
            return "\(profile)-\(client)-\(name).sqlite"
        }
    }

    private func run<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        // While a deleted file is open, writes to it succeed, but their data is lost when the file is closed.
        if let path, FileIdentity(path: path) != identity {
            throw StoreError("the store cannot be used: '\(path)' was deleted or replaced")
        }
        do {
            return try database.write(body)
        } catch {
            throw StoreError("the store cannot be used: \(StoreError.reason(error))")
        }
    }
}

/// The reason why local data cannot be stored or read, in one line.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The text of an error. For an error of SQLite, it does not contain the statement that failed.
    static func reason(_ error: any Error) -> String { (error as? DatabaseError)?.message ?? "\(error)" }
}
