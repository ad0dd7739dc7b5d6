import GRDB
import IMSimulation

/// Opens the database of a client store or of a server store.
enum StoreFile {
    /// Checks that the file belongs to this program, configures the database and migrates it.
    ///
    /// - Parameters:
    ///   - name: the store's name, for errors.
    ///   - inUse: the kind of process that may use the file, for the error about a file in use.
    ///   - open: opens the database.
    static func open(
        _ name: String, inUse: String, _ migrations: DatabaseMigrator, _ open: () throws -> DatabaseQueue
    ) throws(StoreError) -> DatabaseQueue {
        do {
            let queue = try open()
            try StoreWaiting.retry {
                if let refusalReason = try queue.read({ try refusalReason(to: $0, migrations) }) {
                    throw StoreError("\(name) \(refusalReason)")
                }
                // With these settings, a commit passes the data to the operating system and does not wait for the disk.
                // That is sufficient if the process is killed. The settings change the file, so the file was checked
                // first.
                try queue.writeWithoutTransaction { database in
                    // Only a new file gets this page size. A message changes a few small rows, and each change writes a
                    // page.
                    try database.execute(sql: "PRAGMA page_size = 1024")
                    try database.execute(sql: "PRAGMA journal_mode = WAL")
                    try database.execute(sql: "PRAGMA synchronous = NORMAL")
                }
                try migrations.migrate(queue)
            }
            return queue
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw StoreError("\(name) is in use by another \(inUse)")
        } catch let error as DatabaseError
            where [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
        {
            throw StoreError("\(name) cannot be written: \(error.message ?? "\(error.resultCode)")")
        } catch {
            throw StoreError("\(name) is not a store of imrepl, or is damaged: \(error)")
        }
    }

    /// Reads a database without a change to its file. A file that is empty or does not exist is not read.
    static func inspect(_ path: String, _ body: (Database) throws -> Void) throws {
        guard FileSize.of(path) ?? 0 > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        try DatabaseQueue(path: path, configuration: configuration).read(body)
    }

    /// Why a file must not be changed; nil for a new file and for a file of this program. The migrator itself would add
    /// its tables to any database, and ignore unknown migrations.
    private static func refusalReason(to database: Database, _ migrations: DatabaseMigrator) throws -> String? {
        let isEmpty = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") == 0
        if isEmpty { return nil }
        let other = "is not a store of imrepl; choose another --data"
        guard try database.tableExists("grdb_migrations") else { return other }
        // If the process was killed during the first migration, the migrator's table exists without a row.
        let hasNone = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM grdb_migrations") == 0
        guard try hasNone || !migrations.appliedMigrations(database).isEmpty else { return other }
        return try migrations.hasBeenSuperseded(database)
            ? "is newer than this version; use the version that wrote it, or another --data" : nil
    }
}
