import Foundation
import GRDB
import IMSimulation
import IMTree

/// The tree that a device stores, in a file (SYNC-2).
///
/// Each tracked query has a base value and the later changes, in order. A small change writes little, and a read
/// applies the changes like ``TreeStorage``. If the changes become large, they are merged into the base value.
///
/// A file that is damaged or belongs to another program is renamed, and the storage starts empty; ``loss`` reports
/// that. All changes of one call are one transaction. SQLite writes them to its log first and synchronises the file
/// only at checkpoints.
final class SQLiteTreeStore: TreeStore {
    private let database: DatabaseQueue
    /// The contents at the time when the file was opened; nil after they were read or changed.
    private var initialContents: TreeStorage.Contents?
    let loss: String?

    /// If the changes of a query have more than this many bytes, and more than the base value, they are merged into the
    /// base value.
    private static let changesBytesMax = 64 << 10
    /// The application id in the head of each file of this store, and the version of its tables.
    private static let applicationID = 0x696d_7472
    private static let version = 1

    /// Opens a device's file, or creates it.
    ///
    /// - Throws: ``StoreError`` for a file that cannot be opened, or that has a later version. Such a file is not
    ///   changed.
    init(path: String) throws(StoreError) {
        do {
            (database, initialContents) = try SQLiteTreeStore.open(path)
            loss = nil
        } catch let unusable as UnusableFile {
            let renamed = SQLiteTreeStore.rename(path)
            loss =
                "the tree's data in '\(path)' is \(unusable.reason); "
                + "it is kept as '\(renamed)', and a new file is started"
            do {
                (database, initialContents) = try SQLiteTreeStore.open(path)
            } catch {
                throw SQLiteTreeStore.storeError(error, path)
            }
        } catch {
            throw SQLiteTreeStore.storeError(error, path)
        }
    }

    private static func storeError(_ error: any Error, _ path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        return StoreError("the tree's data in '\(path)' cannot be used: \(StoreError.reason(error))")
    }

    // MARK: Opening

    /// The reason why a file does not belong to this store, or cannot be used any more.
    private struct UnusableFile: Error {
        var reason: String
    }

    private static func open(_ path: String) throws -> (DatabaseQueue, TreeStorage.Contents) {
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process locks the file only briefly, so a longer wait is of no use.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        do {
            // The file is checked before the first change, because not even the journal mode of a foreign file may
            // change.
            try check(path)
            try PrivateFile.make(path)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write(prepare)
            return (queue, try queue.read(contents))
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw UnusableFile(reason: "damaged")
        }
    }

    private static func check(_ path: String) throws {
        try StoreFile.inspect(path) { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id")
            let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard id == applicationID else { throw UnusableFile(reason: "another program's") }
            guard found <= version else {
                throw StoreError("the tree's data in '\(path)' is newer than this version")
            }
        }
    }

    private static func prepare(_ database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return }
        try database.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                CREATE TABLE tracked (number INTEGER PRIMARY KEY, query TEXT NOT NULL, bytes INTEGER NOT NULL,
                    changed INTEGER NOT NULL);
                CREATE TABLE part (sequence INTEGER PRIMARY KEY, number INTEGER NOT NULL, change INTEGER NOT NULL,
                    isAmendment INTEGER NOT NULL, path TEXT NOT NULL, node BLOB NOT NULL);
                CREATE INDEX partOfQuery ON part (number);
                CREATE TABLE pending (id INTEGER PRIMARY KEY, pendingWrite TEXT NOT NULL);
                """)
    }

    /// Renames a file, and SQLite's files beside it. Returns the new path.
    private static func rename(_ path: String) -> String {
        let files = FileManager.default
        var number = 1
        while files.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
        let renamed = "\(path).damaged-\(number)"
        try? files.moveItem(atPath: path, toPath: renamed)
        for ending in ["-wal", "-shm"] { try? files.moveItem(atPath: path + ending, toPath: renamed + ending) }
        return renamed
    }

    private static func contents(_ database: Database) throws -> TreeStorage.Contents {
        let decoder = JSONDecoder()
        do {
            let tracked = try String.fetchAll(database, sql: "SELECT query FROM tracked").map {
                try decoder.decode(TrackedQuery.self, from: Data($0.utf8))
            }
            let writes = try String.fetchAll(database, sql: "SELECT pendingWrite FROM pending").map {
                try decoder.decode(TreeWrite.self, from: Data($0.utf8))
            }
            return TreeStorage.Contents(
                tracked: tracked.sorted { $0.number < $1.number }, writes: writes.sorted { $0.id < $1.id })
        } catch is DecodingError {
            throw UnusableFile(reason: "damaged")
        }
    }

    /// Closes the file; nothing can be read afterwards.
    func close() { try? database.close() }

    // MARK: Contents

    func contents() throws -> TreeStorage.Contents {
        defer { initialContents = nil }
        return try initialContents ?? run { try SQLiteTreeStore.contents($0) }
    }

    func apply(_ changes: [TreeStorage.Change]) throws {
        initialContents = nil
        try run { database in for change in changes { try self.apply(change, in: database) } }
    }

    func storedData(of queries: [UInt64]) throws -> [TreeStorage.Held] {
        try run { database in
            try queries.compactMap { number in
                let isTracked =
                    try Int.fetchOne(
                        database.cachedStatement(sql: "SELECT 1 FROM tracked WHERE number = ?"),
                        arguments: [number.key]) != nil
                // Unreadable data is treated as missing, because the server has the data.
                return isTracked ? try self.node(of: number, in: database).map { TreeStorage.Held(number, $0) } : nil
            }
        }
    }

    private func run<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.write(body)
        } catch {
            throw SQLiteTreeStore.storeError(error, database.path)
        }
    }

    private func apply(_ change: TreeStorage.Change, in database: Database) throws {
        switch change {
        case .track(let query):
            try database.cachedStatement(
                sql: """
                    INSERT INTO tracked (number, query, bytes, changed) VALUES (?, ?, 0, 0)
                    ON CONFLICT (number) DO UPDATE SET query = excluded.query
                    """
            ).execute(arguments: [query.number.key, try SQLiteTreeStore.json(query)])
        case .forget(let number):
            try database.cachedStatement(sql: "DELETE FROM tracked WHERE number = ?").execute(arguments: [number.key])
            try removeParts(of: number, in: database)
        case .put(let number, let parts): try put(parts, in: number, isAmendment: false, database)
        case .amend(let number, let parts): try put(parts, in: number, isAmendment: true, database)
        case .hold(let write):
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO pending (id, pendingWrite) VALUES (?, ?)")
                .execute(arguments: [write.id.key, try SQLiteTreeStore.json(write)])
        case .release(let write):
            try database.cachedStatement(sql: "DELETE FROM pending WHERE id = ?").execute(arguments: [write.key])
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    private func removeParts(of number: UInt64, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM part WHERE number = ?").execute(arguments: [number.key])
    }

    private func put(
        _ parts: [TreeWrite.Part], in number: UInt64, isAmendment: Bool, _ database: Database
    ) throws {
        let isWhole = parts.count == 1 && parts[0].keys.isEmpty
        if isWhole { try removeParts(of: number, in: database) }
        var added = 0
        let change = try Int64.fetchOne(database.cachedStatement(sql: "SELECT MAX(sequence) FROM part")) ?? 0
        for part in parts {
            let node = Data(part.node.bytes)
            added += node.count
            try database.cachedStatement(
                sql: "INSERT INTO part (number, change, isAmendment, path, node) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [number.key, change, isAmendment, part.keys.joined, node])
        }
        let sql =
            isWhole
            ? "UPDATE tracked SET bytes = ?, changed = 0 WHERE number = ?"
            : "UPDATE tracked SET changed = changed + ? WHERE number = ?"
        // The size includes the overhead of each row.
        try database.cachedStatement(sql: sql).execute(arguments: [added + parts.count * 64, number.key])
        guard !isWhole, try hasManyChanges(number, database), let node = try node(of: number, in: database) else {
            return
        }
        try put([TreeWrite.Part([], node)], in: number, isAmendment: false, database)
    }

    private func hasManyChanges(_ number: UInt64, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: "SELECT changed > MAX(bytes, \(SQLiteTreeStore.changesBytesMax)) FROM tracked WHERE number = ?"),
            arguments: [number.key]) == true
    }

    /// - Returns: the value of a query, with its changes; nil if the data is unreadable.
    private func node(of number: UInt64, in database: Database) throws -> TreeNode? {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT change, isAmendment, path, node FROM part WHERE number = ? ORDER BY sequence"),
            arguments: [number.key])
        var node = TreeNode.empty
        var (parts, change, isAmendment) = ([TreeWrite.Part](), Int64(-1), false)
        func whole() -> TreeNode { node.applying(isAmendment ? .amend(number, parts) : .put(number, parts)) }
        while let row = try rows.next() {
            let next: Int64 = row["change"]
            if next != change {
                node = whole()
                (parts, change, isAmendment) = ([], next, row["isAmendment"])
            }
            let path: String = row["path"]
            guard let part = try row.withUnsafeData(named: "node", { $0.flatMap { TreeNode(bytes: $0) } }) else {
                return nil
            }
            parts.append(TreeWrite.Part(path.isEmpty ? [] : [TreeKey](joined: path), part))
        }
        return whole()
    }
}

extension UInt64 {
    /// The number as SQLite stores it, because SQLite's integers are signed.
    fileprivate var key: Int64 { Int64(bitPattern: self) }
}
