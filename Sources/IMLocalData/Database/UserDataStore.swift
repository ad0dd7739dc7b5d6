/// The local data of one user on one device, in any storage: ``UserDatabase`` in memory, or a database on disk. The
/// same changes and calls in the same order give the same answers in each.
public protocol UserDataStore: AnyObject {
    /// The server's number of the last applied change; 0 before the first.
    func position() throws -> UInt64
    /// Applies the changes of a part of a sync, or of an event; all of them, or none. Changes that were already applied
    /// have no effect.
    ///
    /// - Parameters:
    ///   - position: the server's number of the last of them.
    ///   - isMore: true if the next part is in flight: this part may then be applied later, and its errors be thrown by
    ///     any later call.
    func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool) throws
    /// Answers a call, and makes its changes; see ``UserDatabase/answer(_:)``.
    func answer(_ request: LocalRequest) throws -> LocalAnswer
    /// The messages for an export.
    func exportedMessages() throws -> [LocalMessage]
    /// Adds the messages of an export that are missing here; all of them, or none.
    ///
    /// - Returns: the number of added messages.
    func importMessages(_ messages: [LocalMessage]) throws -> Int
}

/// Local data in memory.
public final class MemoryUserData: UserDataStore {
    private var database: UserDatabase

    /// Starts with a database.
    public init(_ database: UserDatabase) { self.database = database }

    /// A copy of the database.
    public var value: UserDatabase { database }

    /// The number of the last applied change.
    public func position() -> UInt64 { database.position }

    /// Applies changes.
    public func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool = false) {
        database.apply(changes, upTo: position)
    }

    /// Answers a call.
    public func answer(_ request: LocalRequest) -> LocalAnswer { database.answer(request) }

    /// The messages for an export.
    public func exportedMessages() -> [LocalMessage] { database.exportedMessages }

    /// Adds the missing messages.
    public func importMessages(_ messages: [LocalMessage]) -> Int { database.importMessages(messages) }
}
