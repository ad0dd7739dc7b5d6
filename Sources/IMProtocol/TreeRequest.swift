import IMTree

/// A request about the tree. Paths are keys joined by `/`, without one at either end; empty is the root.
public enum TreeRequest: Hashable, Sendable, Codable {
    /// Puts a node there; an empty one removes what is there.
    case set(path: String, TreeNode)
    /// Puts nodes at places below, all or none, and leaves what is beside them.
    case update(path: String, [TreeWrite.Part])
    /// Puts a node there if what stands there has that hash (26201 where it has not).
    case transaction(path: String, TreeNode, over: TreeHash)
    /// What stands there now.
    case get(path: String, TreeQuery = .all)
    /// What stands there now, unless it has that hash, and from then on whatever changes. The number is the client's.
    case listen(path: String, TreeQuery = .all, number: UInt64, hash: TreeHash? = nil)
    /// Ends the listen of that number.
    case unlisten(path: String, number: UInt64)
    /// To be put there by the server when this connection ends, however it ends (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// The same at places below.
    case onDisconnectUpdate(path: String, [TreeWrite.Part])
    /// Takes back what was registered at the path.
    case cancelOnDisconnect(path: String)

    /// The place that it is about, as it was asked for; nothing is checked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .transaction(let path, _, _), .get(let path, _),
            .listen(let path, _, _, _), .unlisten(let path, _), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path):
            path
        }
    }

    /// Of what the client takes to stand there, where it says so.
    public var hash: TreeHash? {
        switch self {
        case .transaction(_, _, let hash): hash
        case .listen(_, _, _, let hash): hash
        case .set, .update, .get, .unlisten, .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect: nil
        }
    }

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .set: "set"
        case .update: "update"
        case .transaction: "transaction"
        case .get: "get"
        case .listen: "on"
        case .unlisten: "off"
        case .onDisconnect: "on-disconnect"
        case .onDisconnectUpdate: "on-disconnect-update"
        case .cancelOnDisconnect: "on-disconnect-cancel"
        }
    }
}

/// What a server tells a client of a change where it listens.
public struct TreeData: Hashable, Sendable, Codable {
    /// The client's number of the listen.
    public var listen: UInt64
    /// The place that has changed, as ``TreeRequest`` has it.
    public var path: String
    /// What stands there now, or below it.
    public var change: TreeWrite.Change

    /// Nothing is checked.
    public init(listen: UInt64, path: String, _ change: TreeWrite.Change) {
        self.listen = listen
        self.path = path
        self.change = change
    }
}
