/// A transaction on its way (SYNC-2, SYNC-7).
struct TreeTransaction: Sendable, Hashable, Codable {
    enum State: Sendable, Hashable, Codable {
        /// It has been run, and nothing is sent.
        case ready
        /// The server has been asked.
        case sent
        /// The same, and the app has put something else there since.
        case overridden
    }

    let id: UInt64
    let place: [TreeKey]
    let expression: TransactionExpression
    /// Whether listeners see what it would make before the server has taken it.
    let isVisible: Bool
    /// Under this number it listens to its place, and tells nobody.
    let listener: TreeListenerID
    var state = State.ready
    /// How often the server had something else than what it was run on.
    var staleCount = 0
    /// The number of the write that shows what it would make.
    var write: UInt64
    /// What it was run on.
    var input: TreeNode
    /// What it made of that, with timestamps to be filled in.
    var output: TreeNode

    func meets(_ other: [TreeKey]) -> Bool { place.starts(with: other) || other.starts(with: place) }
}

/// How a transaction ended.
public enum TransactionOutcome: Sendable, Hashable {
    /// The server has taken it; the node stands there now.
    case committed(TreeNode)
    /// It gave up; the node stands there.
    case aborted(TreeNode)
    /// What it made cannot stand in a tree.
    case impossible(TreeObjection)
    /// 26203: the server had something else each time.
    case tooManyRetries
    /// 26204: the app itself put something there.
    case overridden
    /// The link broke after it had been sent; it may have been carried out.
    case disconnected
    /// The server refused it.
    case refused
}
