import IMLocalData
import IMProtocol
import IMTree

/// What a client wants of its user's local data, which is kept outside of it (ZIM-9). The host does it in order, and
/// answers each but ``Action/close`` and ``Action/apply(_:)``.
public struct DataRequest: Hashable, Sendable, Codable {
    /// Which opening of the data it belongs to; its answer says the same.
    public var generation: UInt32
    /// What is wanted.
    public var action: Action

    /// What can be wanted of local data.
    public enum Action: Hashable, Sendable, Codable {
        /// Makes a user's data ready; that of nobody else is read from here on (C-13).
        case open(user: String)
        /// A call of the app; answers come in the order of the calls.
        indirect case call(number: UInt32, LocalRequest)
        /// Takes in what the server says, all of it or nothing.
        indirect case apply(ChangePage)
        /// The login has ended.
        case close
        /// What the device holds of the tree (SYNC-2), which has openings of its own.
        indirect case tree(TreeDataRequest)
    }

    /// A request of that opening.
    public init(generation: UInt32, _ action: Action) {
        self.generation = generation
        self.action = action
    }
}

/// What became of a ``DataRequest``.
public struct DataAnswer: Hashable, Sendable, Codable {
    /// Which opening of the data it belongs to.
    public var generation: UInt32
    /// What became of it.
    public var outcome: Outcome

    /// How a request to local data can end.
    public enum Outcome: Hashable, Sendable, Codable {
        /// The data is ready; the server's number of the last change that is in it, 0 for none.
        case opened(position: UInt64)
        /// What the call of that number came to.
        indirect case answered(number: UInt32, LocalAnswer)
        /// The data cannot be used: damaged, locked, no room. Calls are answered with the status from now on.
        case failed(Status)
        indirect case tree(TreeDataAnswer)
    }

    /// An answer to that opening.
    public init(generation: UInt32, _ outcome: Outcome) {
        self.generation = generation
        self.outcome = outcome
    }
}

/// What a client wants of what its device holds of the tree (SYNC-2). Changes have no answer.
public enum TreeDataRequest: Hashable, Sendable, Codable {
    case open
    /// One after the other, all or none.
    case change([TreeStorage.Change])
    /// The data of tracked queries.
    case read(number: UInt64, [UInt64])
}

/// What became of a ``TreeDataRequest``.
public enum TreeDataAnswer: Hashable, Sendable, Codable {
    case opened(TreeStorage.Contents)
    case read(number: UInt64, [TreeStorage.Held])
    /// The device cannot be used: damaged, locked, no room. The session goes on without it.
    case failed(Status)
}
