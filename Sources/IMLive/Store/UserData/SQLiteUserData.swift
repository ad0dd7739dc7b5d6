import GRDB
import IMLocalData
import IMProtocol
import Synchronization

/// The local data of one user on one device, in a file (ZIM-9).
///
/// The changes of one call, or of several parts of a sync, are one transaction. It includes the position in the
/// server's change feed. If the process is killed, the file has the state before or after the transaction. SQLite
/// writes changes to its log first and synchronises the file only at checkpoints. After a power failure the last
/// changes may be missing, and the next sync repeats them.
public final class SQLiteUserData: UserDataStore, Sendable {
    private let database: DatabaseQueue
    private let owner: String
    private let progress: WorkProgress?
    /// The error of a write that failed. Later changes must not be written without the changes of that write. The next
    /// sync repeats all of them.
    private let writeFailure = WriteFailure()
    /// Received parts of a sync that will be written in one transaction.
    private let receivedParts = ReceivedParts()

    /// A user's data in a file, created if necessary.
    ///
    /// - Parameter progress: receives the progress of an import.
    /// - Throws: ``StoreError`` if the file cannot be opened, is damaged, or belongs to another program, a later
    ///   version or another user. Such a file is not changed.
    public init(path: String, owner: String, progress: WorkProgress? = nil) throws(StoreError) {
        self.owner = owner
        self.progress = progress
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process locks the database only briefly, so a longer wait is of no use.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // Only a new file gets this page size. A message changes a few small rows, and each change writes a page. A
            // sync writes the same pages of the index repeatedly, so checkpoints are less frequent than by default.
            try database.execute(
                sql: """
                    PRAGMA page_size = 1024; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;
                    PRAGMA wal_autocheckpoint = 16000
                    """)
        }
        do {
            // The file is checked before the first change, because not even the journal mode of a foreign file may
            // change.
            try SQLiteUserData.check(path: path, owner: owner)
            try PrivateFile.make(path)
            database = try DatabaseQueue(path: path, configuration: configuration)
            try UserDataSchema.migrations(owner: owner).migrate(database)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("the local data in '\(path)' cannot be used: \(StoreError.reason(error))")
        }
    }

    private static func check(path: String, owner: String) throws {
        try StoreFile.inspect(path) { database in
            if let reason = try UserDataSchema.rejectionReason(to: database, owner: owner) {
                throw StoreError("the local data in '\(path)' cannot be used: \(reason)")
            }
        }
    }

    /// Writes pending changes and closes the file; nothing can be read afterwards. The next sync repeats changes that
    /// could not be written.
    public func close() throws(StoreError) {
        try? writeReceivedParts()
        do {
            try database.close()
        } catch {
            throw StoreError("the local data cannot be closed: \(StoreError.reason(error))")
        }
    }

    /// The number of the last change from the server that is stored.
    public func position() throws(StoreError) -> UInt64 { try run { try $0.position() } }

    /// Applies changes from the server. If more parts follow, several of them become one transaction, which runs while
    /// the next parts are received. A later read waits for all of them. At most one transaction is in progress.
    public func apply(
        _ changes: [LocalChange], upTo position: UInt64, isMore: Bool = false
    ) throws(StoreError) {
        let isLarge = receivedParts.add(changes, upTo: position)
        guard isMore else { return try writeReceivedParts() }
        guard isLarge else { return }
        do {
            // Waits for the transaction in progress.
            try database.writeWithoutTransaction { _ in try writeFailure.rethrow() }
        } catch {
            throw storeError(error)
        }
        // If the transaction fails, the next call throws the error.
        database.asyncWriteWithoutTransaction { [self] database in try? writeReceivedParts(in: database) }
    }

    /// Applies changes with a callback after each one, for tests of the state that a killed process leaves.
    func applyWatched(
        _ changes: [LocalChange], upTo position: UInt64, then callback: (Int) throws -> Void
    ) throws(StoreError) {
        try run { transaction in
            for (index, change) in changes.enumerated() {
                try transaction.applyChange(change)
                try callback(index)
            }
            try transaction.setPosition(position)
        }
    }

    /// Limits the size of the file in pages, to simulate a full disk in tests.
    func limitPages(to count: Int) throws(StoreError) {
        try run { try $0.database.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// Answers a call of the app from the stored data.
    public func answer(_ request: LocalRequest) throws(StoreError) -> LocalAnswer {
        try run { try $0.perform(request) }
    }

    /// The messages for an export.
    public func exportedMessages() throws(StoreError) -> [LocalMessage] {
        try run { transaction in
            let cursor = try transaction.cursor("SELECT * FROM message ORDER BY localID")
            var messages: [LocalMessage] = []
            while let row = try cursor.next() { messages.append(try transaction.message(row).exported) }
            return messages
        }
    }

    /// Adds the missing messages of an export, in one transaction.
    public func importMessages(_ messages: [LocalMessage]) throws(StoreError) -> Int {
        try run { transaction in
            var new = 0
            for (index, message) in messages.enumerated() {
                if try transaction.addImported(message) { new += 1 }
                progress?.report(index + 1, of: messages.count)
            }
            return new
        }
    }

    private func run<Value>(_ body: (inout UserDataTransaction) throws -> Value) throws(StoreError) -> Value {
        try writeReceivedParts()
        do {
            return try database.write { try perform(body, in: $0) }
        } catch {
            throw storeError(error)
        }
    }

    private func writeReceivedParts() throws(StoreError) {
        do {
            try database.writeWithoutTransaction { try writeReceivedParts(in: $0) }
        } catch {
            throw storeError(error)
        }
    }

    /// Writes the received parts in a transaction of their own, so that a call that fails later does not undo the
    /// server's changes.
    private func writeReceivedParts(in database: Database) throws {
        try writeFailure.rethrow()
        guard let (changes, position) = receivedParts.take() else { return }
        do {
            try database.inTransaction {
                try perform(
                    { transaction in
                        for change in changes { try transaction.applyChange(change) }
                        try transaction.setPosition(position)
                    }, in: database)
                return .commit
            }
        } catch {
            writeFailure.note(error)
            throw error
        }
    }

    private func perform<Value>(
        _ body: (inout UserDataTransaction) throws -> Value, in database: Database
    ) throws -> Value {
        var transaction = UserDataTransaction(database: database, rows: AnswerRows(owner: owner))
        let value = try body(&transaction)
        try transaction.flush()
        return value
    }

    private func storeError(_ error: any Error) -> StoreError {
        error as? StoreError ?? StoreError("the local data cannot be used: \(StoreError.reason(error))")
    }
}

/// The error of the first write that failed, if any.
private final class WriteFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { self.error.withLock { $0 = error } }

    func rethrow() throws {
        if let noted = error.withLock({ $0 }) { throw noted }
    }
}

/// Received parts of a sync that have not been written. They are written together. Small transactions would read and
/// write the same conversations repeatedly, and split the search index into many segments.
private final class ReceivedParts: Sendable {
    private struct State {
        var changes: [LocalChange] = []
        var position: UInt64?
    }

    /// The number of changes that make a transaction large enough.
    private static let changesMin = 1000
    private let state = Mutex(State())

    /// - Returns: true if the parts should be written now.
    func add(_ changes: [LocalChange], upTo position: UInt64) -> Bool {
        state.withLock { state in
            state.changes += changes
            state.position = position
            return state.changes.count >= Self.changesMin
        }
    }

    func take() -> (changes: [LocalChange], position: UInt64)? {
        state.withLock { state in
            defer { state = State() }
            return state.position.map { (state.changes, $0) }
        }
    }
}
