import IMLocalData
import IMProtocol
import IMTree

/// A client's request on its user's local data, which is stored outside of the client (ZIM-9). The host executes the
/// requests in order, and answers each except ``Action/close`` and ``Action/apply(_:)``.
public struct DataRequest: Hashable, Sendable, Codable {
    /// The opening of the data that it belongs to; its answer contains the same number.
    public var generation: UInt32
    /// The requested action.
    public var action: Action

    /// The actions on local data.
    public enum Action: Hashable, Sendable, Codable {
        /// Opens a user's data; no other user's data is read from now on (C-13).
        case open(user: String)
        /// A call of the app; answers come in the order of the calls.
        indirect case call(number: UInt32, LocalRequest)
        /// Applies changes from the server, all of them or none.
        indirect case apply(ChangePage)
        /// Closes the data, because the login has ended.
        case close
        /// An action on the device's copy of the tree (SYNC-2), which has its own openings.
        indirect case tree(TreeDataRequest)
    }

    /// A request of that opening.
    public init(generation: UInt32, _ action: Action) {
        self.generation = generation
        self.action = action
    }
}

/// The answer to a ``DataRequest``.
public struct DataAnswer: Hashable, Sendable, Codable {
    /// The opening of the data that it belongs to.
    public var generation: UInt32
    /// The outcome.
    public var outcome: Outcome

    /// The outcomes of a request on local data.
    public enum Outcome: Hashable, Sendable, Codable {
        /// The data is open, with the server's number of its last change; 0 for none.
        case opened(position: UInt64)
        /// The answer to the call of that number.
        indirect case answered(number: UInt32, LocalAnswer)
        /// The data cannot be used: damaged, locked, no room. Calls are answered with the status from now on.
        case failed(Status)
        indirect case tree(TreeDataAnswer)
    }

    /// An answer of that opening.
    public init(generation: UInt32, _ outcome: Outcome) {
        self.generation = generation
        self.outcome = outcome
    }
}

/// A client's request on the device's copy of the tree (SYNC-2). Changes have no answer.
public enum TreeDataRequest: Hashable, Sendable, Codable {
    case open
    /// In order, all or none.
    case change([TreeStorage.Change])
    /// The data of tracked queries.
    case read(number: UInt64, [UInt64])
}

/// The answer to a ``TreeDataRequest``.
public enum TreeDataAnswer: Hashable, Sendable, Codable {
    case opened(TreeStorage.Contents)
    case read(number: UInt64, [TreeStorage.Held])
    /// The device's copy cannot be used: damaged, locked, no room. The session continues without it.
    case failed(Status)
}
