import IMTree

/// A tree request. Paths are keys joined by `/`, without one at either end; the empty path is the root.
public enum TreeRequest: Hashable, Sendable, Codable {
    /// Sets the node at the path; an empty node removes the existing one.
    case set(path: String, TreeNode)
    /// Sets nodes at paths below, all or none, and leaves the others unchanged.
    case update(path: String, [TreeWrite.Part])
    /// Sets the node if the current value has that hash (26201 if it has not).
    case transaction(path: String, TreeNode, over: TreeHash)
    /// Reads the current value.
    case get(path: String, TreeQuery = .all)
    /// Requests the current value, unless it has that hash, and every later change. The client chooses the number.
    case listen(path: String, TreeQuery = .all, number: UInt64, hash: TreeHash? = nil)
    /// Ends the listen of that number.
    case unlisten(path: String, number: UInt64)
    /// Makes the server set a node when this connection ends, however it ends (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// Makes the server set nodes at paths below this one when this connection ends, however it ends (SYNC-6).
    case onDisconnectUpdate(path: String, [TreeWrite.Part])
    /// Cancels the onDisconnect operations at the path.
    case cancelOnDisconnect(path: String)

    /// The path of the request, unchecked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .transaction(let path, _, _), .get(let path, _),
            .listen(let path, _, _, _), .unlisten(let path, _), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path):
            path
        }
    }

    /// The hash of the value that the client has; nil if it gives none.
    public var hash: TreeHash? {
        switch self {
        case .transaction(_, _, let hash): hash
        case .listen(_, _, _, let hash): hash
        case .set, .update, .get, .unlisten, .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect: nil
        }
    }

    /// Its name in recordings and JSON.
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

/// A change of data that a client listens to, as the server sends it.
public struct TreeData: Hashable, Sendable, Codable {
    /// The client's number of the listen.
    public var listen: UInt64
    /// The path of the change, as in ``TreeRequest``.
    public var path: String
    /// The new value, or the changed parts.
    public var change: TreeWrite.Change

    /// An unchecked change.
    public init(listen: UInt64, path: String, _ change: TreeWrite.Change) {
        self.listen = listen
        self.path = path
        self.change = change
    }
}
