import GRDB
import IMLocalData
import IMProtocol
import Synchronization

/// The local data of one user on one device, in a file of its own (ZIM-9).
///
/// What a call or some parts of a sync change is one transaction, the place in the server's feed among it: a process that
/// is killed leaves what was before or what was to be. It is written ahead and synchronised at checkpoints only: after
/// a loss of power the last changes may be gone, and the next sync brings them again.
public final class SQLiteUserData: UserDataStore, Sendable {
    private let database: DatabaseQueue
    private let owner: String
    private let progress: WorkProgress?
    /// Why changes were lost: what comes behind them must not be written without them, until a sync brings them again.
    private let loss = Loss()
    /// Parts of a sync that are to be written together.
    private let gathered = GatheredChanges()

    /// A user's data in a file, made when it is not there.
    ///
    /// - Parameter progress: hears of an import.
    /// - Throws: ``StoreError`` when the file cannot be opened, is damaged, of another program, of a later version or of
    ///   another user; it stays as it was then.
    public init(path: String, owner: String, progress: WorkProgress? = nil) throws(StoreError) {
        self.owner = owner
        self.progress = progress
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process has it for a moment at most; longer than that nobody waits.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // The page size applies to new files only: a message changes a few small rows, and each writes a page.
            // A sync writes the same pages of the index again and again: they are put in their place less often.
            try database.execute(
                sql: """
                    PRAGMA page_size = 1024; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;
                    PRAGMA wal_autocheckpoint = 16000
                    """)
        }
        do {
            // A look without a change first: what is not ours is not even put into another journal mode.
            try SQLiteUserData.check(path: path, owner: owner)
            try PrivateFile.make(path)
            database = try DatabaseQueue(path: path, configuration: configuration)
            try UserDataSchema.migrations(owner: owner).migrate(database)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("the local data in '\(path)' cannot be used: \(SQLiteUserData.reason(error))")
        }
    }

    /// SQLite's own word for it, without the statement that failed.
    private static func reason(_ error: any Error) -> String { (error as? DatabaseError)?.message ?? "\(error)" }

    private static func check(path: String, owner: String) throws {
        guard FileSize.of(path) ?? 0 > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        let objection = try DatabaseQueue(path: path, configuration: configuration).read { database in
            try UserDataSchema.objection(to: database, owner: owner)
        }
        if let objection { throw StoreError("the local data in '\(path)' cannot be used: \(objection)") }
    }

    /// Writes what has come and lets go of the file; nothing can be asked afterwards. What cannot be written any more comes
    /// again with the next sync.
    public func close() throws(StoreError) {
        try? writeGathered()
        do {
            try database.close()
        } catch {
            throw StoreError("the local data cannot be closed: \(SQLiteUserData.reason(error))")
        }
    }

    /// The number of the last change of the server that is here.
    public func position() throws(StoreError) -> UInt64 { try run { try $0.position() } }

    /// Takes in what the server says. Where more is on its way, several parts are one transaction, which runs while the next
    /// ones are read; whatever is asked meanwhile is answered behind all of them. At most one transaction is under way.
    public func apply(
        _ changes: [LocalChange], upTo position: UInt64, isMore: Bool = false
    ) throws(StoreError) {
        let isEnough = gathered.add(changes, upTo: position)
        guard isMore else { return try writeGathered() }
        guard isEnough else { return }
        do {
            // Behind the one that is under way.
            try database.writeWithoutTransaction { _ in try loss.rethrow() }
        } catch {
            throw storeError(error)
        }
        // Whoever asks next hears what goes wrong.
        database.asyncWriteWithoutTransaction { [self] database in try? writeGathered(in: database) }
    }

    /// The same with a look after each change, for tests of what a killed process leaves.
    func applyWatched(
        _ changes: [LocalChange], upTo position: UInt64, then look: (Int) throws -> Void
    ) throws(StoreError) {
        try run { transaction in
            for (place, change) in changes.enumerated() {
                try transaction.apply(change)
                try look(place)
            }
            try transaction.setPosition(position)
        }
    }

    /// Lets the file grow no further, as a full disk does; for tests.
    func limitPages(to count: Int) throws(StoreError) {
        try run { try $0.database.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// Answers a call.
    public func answer(_ request: LocalRequest) throws(StoreError) -> LocalAnswer {
        guard request.objection == nil else { return LocalAnswer(.invalidArgument) }
        guard !request.asksServer else { return LocalAnswer(.unsupported) }
        return try run { try $0.answer(request) }
    }

    /// What an export of it holds.
    public func exportedMessages() throws(StoreError) -> [LocalMessage] {
        try run { transaction in
            let cursor = try transaction.cursor("SELECT * FROM message ORDER BY localID")
            var messages: [LocalMessage] = []
            while let row = try cursor.next() { messages.append(try transaction.message(row).exported) }
            return messages
        }
    }

    /// Takes in the messages of an export that are not here, in one transaction.
    public func importMessages(_ messages: [LocalMessage]) throws(StoreError) -> Int {
        try run { transaction in
            var new = 0
            for (place, message) in messages.enumerated() {
                if try transaction.take(imported: message) { new += 1 }
                progress?.tell(place + 1, of: messages.count)
            }
            return new
        }
    }

    private func run<Value>(_ body: (UserDataTransaction) throws -> Value) throws(StoreError) -> Value {
        try writeGathered()
        do {
            return try database.write { try perform(body, in: $0) }
        } catch {
            throw storeError(error)
        }
    }

    private func writeGathered() throws(StoreError) {
        do {
            try database.writeWithoutTransaction { try writeGathered(in: $0) }
        } catch {
            throw storeError(error)
        }
    }

    /// A transaction of their own: a call that fails takes no changes of the server with it.
    private func writeGathered(in database: Database) throws {
        try loss.rethrow()
        guard let (changes, position) = gathered.take() else { return }
        do {
            try database.inTransaction {
                try perform(
                    { transaction in
                        for change in changes { try transaction.apply(change) }
                        try transaction.setPosition(position)
                    }, in: database)
                return .commit
            }
        } catch {
            loss.note(error)
            throw error
        }
    }

    private func perform<Value>(
        _ body: (UserDataTransaction) throws -> Value, in database: Database
    ) throws -> Value {
        let transaction = UserDataTransaction(database: database, rows: AnswerRows(owner: owner))
        let value = try body(transaction)
        try transaction.flush()
        return value
    }

    private func storeError(_ error: any Error) -> StoreError {
        error as? StoreError ?? StoreError("the local data cannot be used: \(SQLiteUserData.reason(error))")
    }
}

/// Why changes could not be written.
private final class Loss: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { self.error.withLock { $0 = error } }

    func rethrow() throws {
        if let noted = error.withLock({ $0 }) { throw noted }
    }
}

/// What came in parts that were not written yet. A part of its own for every few hundred changes would read and write the
/// same conversations again and again, and leave the index for searching in many pieces.
private final class GatheredChanges: Sendable {
    private struct State {
        var changes: [LocalChange] = []
        var position: UInt64?
    }

    /// So many are worth a transaction.
    private static let enough = 1000
    private let state = Mutex(State())

    /// - Returns: whether they should be written.
    func add(_ changes: [LocalChange], upTo position: UInt64) -> Bool {
        state.withLock { state in
            state.changes += changes
            state.position = position
            return state.changes.count >= Self.enough
        }
    }

    func take() -> (changes: [LocalChange], position: UInt64)? {
        state.withLock { state in
            defer { state = State() }
            return state.position.map { (state.changes, $0) }
        }
    }
}
