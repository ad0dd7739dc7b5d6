/// A pending transaction (SYNC-2, SYNC-7).
struct TreeTransaction: Sendable, Hashable, Codable {
    enum State: Sendable, Hashable, Codable {
        /// The transaction has run and has not been sent.
        case ready
        /// The transaction has been sent and has no answer yet.
        case sent
        /// The transaction has been sent, and the app has written to the same path since then.
        case overridden
    }

    let id: UInt64
    let path: [TreeKey]
    let expression: TransactionExpression
    /// True if listeners see its result before the server has accepted it.
    let isVisible: Bool
    /// The client's own listener at its path, which gives no events to the app.
    let listener: TreeListenerID
    var state = State.ready
    /// How often the server had another value than the transaction's input.
    var staleCount = 0
    /// The number of the write that shows its result.
    var write: UInt64
    /// The value that it ran on.
    var input: TreeNode
    /// Its result, with timestamps that are not filled in yet.
    var output: TreeNode

    func meets(_ other: [TreeKey]) -> Bool { path.starts(with: other) || other.starts(with: path) }
}

/// How a transaction ended.
public enum TransactionOutcome: Sendable, Hashable {
    /// The server has accepted it; the node is the new value.
    case committed(TreeNode)
    /// The expression aborted it; the node is the current value.
    case aborted(TreeNode)
    /// A tree cannot contain its result.
    case impossible(TreeValidationError)
    /// 26203: the server had another value each time.
    case tooManyRetries
    /// 26204: the app itself wrote to the path.
    case overridden
    /// The connection broke after it was sent; it may have been applied.
    case disconnected
    /// The server refused it.
    case refused
}
