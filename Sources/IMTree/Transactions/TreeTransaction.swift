/// A pending transaction (SYNC-2, SYNC-7).
struct TreeTransaction: Sendable, Hashable, Codable {
    enum State: Sendable, Hashable, Codable {
        /// The result has been computed and has not been sent.
        case ready
        /// The transaction has been sent and has no answer yet.
        case sent
        /// The transaction has been sent. After that, the app has written to a path at, above or below its path.
        case overridden
    }

    let id: UInt64
    let path: [TreeKey]
    let expression: TransactionExpression
    /// True if listeners see the result of the transaction before the server has accepted it.
    let isVisible: Bool
    /// The client's own listener at the path. Its events are not sent to the app.
    let listener: TreeListenerID
    var state = State.ready
    /// The number of attempts that failed because the server had another value than the transaction's input.
    var staleCount = 0
    /// The number of the write that shows the result to listeners.
    var write: UInt64
    /// The value from which the result was computed.
    var input: TreeNode
    /// The result. The server's time has not yet replaced its timestamps.
    var output: TreeNode

    /// True if a path is at, above or below the path of the transaction.
    func overlaps(_ other: [TreeKey]) -> Bool { path.starts(with: other) || other.starts(with: path) }
}

/// The outcome of a transaction.
public enum TransactionOutcome: Sendable, Hashable {
    /// The server has accepted the result, which is the new value.
    case committed(TreeNode)
    /// The expression aborted the transaction. The node is the current value.
    case aborted(TreeNode)
    /// A tree cannot contain the result.
    case impossible(TreeValidationError)
    /// The server had a new value at each attempt (Wilddog's code 26203).
    case tooManyRetries
    /// The app wrote to a path at, above or below the path of the transaction (Wilddog's code 26204).
    case overridden
    /// The connection broke after the transaction was sent. The server may have accepted it.
    case disconnected
    /// The server refused the transaction.
    case refused
}
