/// The local data of one user on one device, wherever it is kept: ``UserDatabase`` in memory, or a database on disk. The
/// same changes and calls in the same order lead to the same answers from each.
public protocol UserDataStore: AnyObject {
    /// The server's number of the last of its changes that has been taken in; 0 before the first.
    func position() throws -> UInt64
    /// Takes in what a part of a sync brought, or an event; all of it, or nothing. What is here already changes nothing.
    ///
    /// - Parameters:
    ///   - position: the server's number of the last of them.
    ///   - isMore: whether the next part is on its way: this one may be taken in meanwhile, and what goes wrong with it be
    ///     thrown by whatever is asked next.
    func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool) throws
    /// Answers a call, and does what it asks for; see ``UserDatabase/answer(_:)``.
    func answer(_ request: LocalRequest) throws -> LocalAnswer
    /// What an export of it holds.
    func exportedMessages() throws -> [LocalMessage]
    /// Takes in the messages of an export that are not here; all of them, or nothing.
    ///
    /// - Returns: how many were not here.
    func importMessages(_ messages: [LocalMessage]) throws -> Int
}

/// Local data that lives as long as this value.
public final class MemoryUserData: UserDataStore {
    private var database: UserDatabase

    /// Nothing is there yet, where nobody says what.
    public init(_ database: UserDatabase) { self.database = database }

    /// A copy of its own.
    public var value: UserDatabase { database }

    /// The number of the last change.
    public func position() -> UInt64 { database.position }

    /// Takes changes in.
    public func apply(_ changes: [LocalChange], upTo position: UInt64, isMore: Bool = false) {
        database.apply(changes, upTo: position)
    }

    /// Answers a call.
    public func answer(_ request: LocalRequest) -> LocalAnswer { database.answer(request) }

    /// What an export of it holds.
    public func exportedMessages() -> [LocalMessage] { database.exportedMessages }

    /// Takes in what is not here.
    public func importMessages(_ messages: [LocalMessage]) -> Int { database.importMessages(messages) }
}
