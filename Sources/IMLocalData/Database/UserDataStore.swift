/// The local data of one user on one device, in any storage: ``UserDatabase`` in memory, or a database on disk. If two
/// stores receive the same changes and calls in the same order, they give the same answers.
public protocol UserDataStore: AnyObject {
    /// The server's number of the last applied change; 0 before the first change.
    func position() throws -> UInt64
    /// Applies the changes of an event or of a part of a sync. If this throws, none of them is applied. A change that
    /// was already applied has no effect.
    ///
    /// - Parameters:
    ///   - position: the server's number of the last of these changes.
    ///   - isMore: true if the next part of the sync is in flight. The store may then apply this part later, and any
    ///     later method of the store may throw its errors.
    func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool) throws
    /// Answers a call, and makes the changes that the call requests; see ``UserDatabase/answer(_:)``.
    func answer(_ request: LocalRequest) throws -> LocalAnswer
    /// All stored messages, in the form that an export contains.
    func exportedMessages() throws -> [LocalMessage]
    /// Adds the messages of an export that this store lacks. If this throws, none is added.
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

    /// The server's number of the last applied change.
    public func position() -> UInt64 { database.position }

    /// Applies changes.
    public func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool = false) {
        database.apply(changes, upTo: position)
    }

    /// Answers a call.
    public func answer(_ request: LocalRequest) -> LocalAnswer { database.answer(request) }

    /// All stored messages, in the form that an export contains.
    public func exportedMessages() -> [LocalMessage] { database.exportedMessages }

    /// Adds the messages that the database lacks, and returns their number.
    public func importMessages(_ messages: [LocalMessage]) -> Int { database.importMessages(messages) }
}
