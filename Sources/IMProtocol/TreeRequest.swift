import IMTree

/// A tree request. A path consists of keys joined by `/`, without a `/` at the start or the end. The empty path is the
/// root.
public enum TreeRequest: Hashable, Sendable, Codable {
    /// Sets the node at the path. An empty node removes the existing one.
    case set(path: String, TreeNode)
    /// Sets nodes at paths below the path, either all of them or none. Other nodes do not change.
    case update(path: String, [TreeWrite.Part])
    /// Sets the node at the path if the current value has this hash; else the server refuses the request with 26201.
    case transaction(path: String, TreeNode, over: TreeHash)
    /// Reads the current value.
    case get(path: String, TreeQuery = .all)
    /// Registers a listener: the server sends the current value, unless the value has this hash, and every later
    /// change. The client chooses the number of the listener.
    case listen(path: String, TreeQuery = .all, number: UInt64, hash: TreeHash? = nil)
    /// Removes the listener with this number.
    case unlisten(path: String, number: UInt64)
    /// Registers an onDisconnect operation: the server sets the node when this connection ends for any reason (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// Registers an onDisconnect operation: the server sets nodes at paths below the path when this connection ends for
    /// any reason (SYNC-6).
    case onDisconnectUpdate(path: String, [TreeWrite.Part])
    /// Removes the onDisconnect operations at the path.
    case cancelOnDisconnect(path: String)

    /// The path of the request. It was not checked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .transaction(let path, _, _), .get(let path, _),
            .listen(let path, _, _, _), .unlisten(let path, _), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path):
            path
        }
    }

    /// The hash of the value that the client has; nil if the request contains none.
    public var hash: TreeHash? {
        switch self {
        case .transaction(_, _, let hash): hash
        case .listen(_, _, _, let hash): hash
        case .set, .update, .get, .unlisten, .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect: nil
        }
    }

    /// The name of the request in recordings and JSON.
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

/// The notice to a client that data has changed at a path where the client has a listener.
public struct TreeData: Hashable, Sendable, Codable {
    /// The number of the listener, which the client chose.
    public var listen: UInt64
    /// The path of the change, in the form that ``TreeRequest`` describes.
    public var path: String
    /// The new value, or the changed parts.
    public var change: TreeWrite.Change

    /// Creates a notice without checking it.
    public init(listen: UInt64, path: String, _ change: TreeWrite.Change) {
        self.listen = listen
        self.path = path
        self.change = change
    }
}
