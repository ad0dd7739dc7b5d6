import IMLocalData
import IMProtocol
import IMTree

/// A client's request on its user's local data, which the host stores (ZIM-9). The host executes the requests in order.
/// It answers each except ``Action/close`` and ``Action/apply(_:)``.
public struct DataRequest: Hashable, Sendable, Codable {
    /// The number of the data's opening that the request belongs to. The answer contains the same number, so that the
    /// client can ignore answers to an earlier opening.
    public var generation: UInt32
    /// The requested action.
    public var action: Action

    /// The actions on local data.
    public enum Action: Hashable, Sendable, Codable {
        /// Opens a user's data. Later calls read only this user's data (C-13).
        case open(user: String)
        /// Executes a call of the app. The answers come in the order of the calls.
        indirect case call(number: UInt32, LocalRequest)
        /// Stores changes from the server: all of them or, after a failure, none.
        indirect case apply(ChangePage)
        /// Closes the data, because the login has ended.
        case close
        /// An action on the device's copy of the tree (SYNC-2). The copy has openings of its own.
        indirect case tree(TreeDataRequest)
    }

    /// A request that belongs to an opening of the data.
    public init(generation: UInt32, _ action: Action) {
        self.generation = generation
        self.action = action
    }
}

/// The answer to a ``DataRequest``.
public struct DataAnswer: Hashable, Sendable, Codable {
    /// The number of the data's opening that the request belonged to.
    public var generation: UInt32
    /// The outcome of the request.
    public var outcome: Outcome

    /// The outcomes of a request on local data.
    public enum Outcome: Hashable, Sendable, Codable {
        /// The data is open. The position is the server's number of the last stored change; 0 for none.
        case opened(position: UInt64)
        /// The store has answered the call with this number.
        indirect case answered(number: UInt32, LocalAnswer)
        /// The data cannot be used, because it is damaged or locked, or the disk is full. The client completes all
        /// later calls with the status.
        case failed(Status)
        /// The answer to an action on the device's copy of the tree.
        indirect case tree(TreeDataAnswer)
    }

    /// An answer that belongs to an opening of the data.
    public init(generation: UInt32, _ outcome: Outcome) {
        self.generation = generation
        self.outcome = outcome
    }
}

/// A client's request on the device's copy of the tree (SYNC-2).
public enum TreeDataRequest: Hashable, Sendable, Codable {
    /// Opens the copy.
    case open
    /// Stores changes in order: all of them or, after a failure, none. This request has no answer.
    case change([TreeStorage.Change])
    /// Reads the stored data of the queries with these numbers. The answer contains the same `number`.
    case read(number: UInt64, [UInt64])
}

/// The answer to a ``TreeDataRequest``.
public enum TreeDataAnswer: Hashable, Sendable, Codable {
    /// The copy is open, with these contents.
    case opened(TreeStorage.Contents)
    /// The stored data that the request `read` with this number requested.
    case read(number: UInt64, [TreeStorage.Held])
    /// The copy cannot be used, because it is damaged or locked, or the disk is full. The client continues without the
    /// copy.
    case failed(Status)
}
