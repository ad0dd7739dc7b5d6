import IMProtocol
import IMTree

/// The commands of an app on the tree. A path consists of keys, joined by `/`. The empty path is the root.
public enum TreeCommand: Hashable, Sendable, Codable {
    /// Sets the node at the path. An empty node removes the existing node. The path `PATH/.priority` sets only the
    /// priority of the node at `PATH`.
    case set(path: String, TreeNode)
    /// Sets nodes at paths below this path, all of them or none. Other nodes do not change.
    case update(path: String, TreeUpdate)
    /// Adds a child at the path. Its generated name sorts after all names that were generated before.
    case push(path: String, TreeNode)
    /// Reads the current result of a query; nil for the whole value.
    case get(path: String, TreeQuery? = nil)
    /// Starts a listener, which gets the current value and every change. Nil for a listener to the whole value.
    case listen(path: String, TreeListening? = nil)
    /// Ends the listeners of a query at the path; nil for the listeners of all queries.
    case unlisten(path: String, TreeQuery? = nil)
    /// Computes a new node from the current node, and sets it. If `isHidden`, the app gets no events of values that the
    /// server has not accepted.
    case transaction(path: String, TransactionExpression, isHidden: Bool)
    /// Starts or stops keeping the result of a query up to date without a listener (SYNC-3).
    case keep(path: String, TreeQuery? = nil, isOn: Bool)
    /// Makes the tree's data outlive the process: all data of listeners and pending writes, and at most this many bytes
    /// of other data. Nil if no data outlives the process. Refused after any other command on the tree (SYNC-2).
    case persistence(bytesMax: Int?)
    /// Lists the known values at the path and below, whether the client has all of each value, whether the value is a
    /// pending write, and the listens of the client there.
    case outline(path: String)
    /// Registers a write that the server makes when the client's connection ends, in any way (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// Registers writes at paths below this path, which the server makes when the client's connection ends, in any way
    /// (SYNC-6).
    case onDisconnectUpdate(path: String, TreeUpdate)
    /// Cancels the onDisconnect operations at the path.
    case cancelOnDisconnect(path: String)

    /// The path of the command, which may be invalid.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .push(let path, _), .get(let path, _), .listen(let path, _),
            .unlisten(let path, _), .transaction(let path, _, _), .outline(let path), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path), .keep(let path, _, _):
            path
        case .persistence: ""
        }
    }

    /// True if the app uses a reference to the tree for this command, which opens the connection (SYNC-1).
    var isReference: Bool {
        switch self {
        case .outline, .persistence: false
        case .set, .update, .push, .get, .listen, .unlisten, .transaction, .keep, .onDisconnect, .onDisconnectUpdate,
            .cancelOnDisconnect:
            true
        }
    }

    /// The command's name in recordings and JSON.
    public var name: String {
        switch self {
        case .set: "set"
        case .update: "update"
        case .push: "push"
        case .get: "get"
        case .listen: "on"
        case .unlisten: "off"
        case .transaction: "transaction"
        case .keep: "keep"
        case .persistence: "persistence"
        case .outline: "tree"
        case .onDisconnect: "on-disconnect"
        case .onDisconnectUpdate: "on-disconnect-update"
        case .cancelOnDisconnect: "on-disconnect-cancel"
        }
    }
}

extension TreeCommand {
    /// The path of a valid command.
    ///
    /// - Throws: the reason why the command is invalid.
    var checkedPath: TreePath {
        get throws(TreeRefusal) {
            let request: TreeRequest =
                switch self {
                case .set(let path, let node): .set(path: path, node)
                case .update(let path, let update): .update(path: path, update.parts)
                // The generated name does not exist yet. Any name of the same length gives the same result.
                case .push(let path, let node):
                    .set(path: path + "/" + String(repeating: "-", count: ChildIDs.length), node)
                case .get(let path, let query): .get(path: path, query ?? .all)
                case .listen(let path, let listening): .get(path: path, listening?.query ?? .all)
                case .keep(let path, let query, _): .get(path: path, query ?? .all)
                case .unlisten(let path, _), .outline(let path): .get(path: path)
                case .persistence: .get(path: "")
                case .transaction(let path, _, _): .transaction(path: path, .empty, over: TreeHash(rawValue: 0))
                case .onDisconnect(let path, let node): .onDisconnect(path: path, node)
                case .onDisconnectUpdate(let path, let update): .onDisconnectUpdate(path: path, update.parts)
                case .cancelOnDisconnect(let path): .cancelOnDisconnect(path: path)
                }
            let path = try CheckedTreeRequest(request).path
            guard case .push = self else { return path }
            return TreePath(keys: path.keys.dropLast())
        }
    }
}

/// The query and the kinds of events of a listener.
public struct TreeListening: Hashable, Sendable, Codable {
    /// The query, which selects and orders the children.
    public var query: TreeQuery
    /// The kinds of events that the listener gets.
    public var kinds: [TreeEventKind]

    /// A listener to these events of a query. By default, it gets the value of all children.
    public init(_ query: TreeQuery = .all, kinds: [TreeEventKind] = [.value]) {
        self.query = query
        self.kinds = kinds
    }
}

/// The nodes of an update, with their paths.
public struct TreeUpdate: Hashable, Sendable {
    /// The nodes, with paths relative to the path of the update.
    public var parts: [TreeWrite.Part]

    /// An update of these nodes, which may be invalid.
    public init(_ parts: [TreeWrite.Part]) { self.parts = parts }
}

extension TreeUpdate: Codable {
    private enum OlderKeys: String, CodingKey { case children }

    /// The form of an update in recordings of older versions, which could only set direct children.
    private struct Children: Decodable {
        var _0: [Child]

        struct Child: Decodable {
            var key: TreeKey
            var value: TreeNode
        }
    }

    /// Decodes an update, also in the form of older versions.
    public init(from decoder: any Decoder) throws {
        let older = try decoder.container(keyedBy: OlderKeys.self)
        if let children = try older.decodeIfPresent(Children.self, forKey: .children) {
            parts = children._0.map { TreeWrite.Part([$0.key], $0.value) }
        } else {
            parts = try decoder.container(keyedBy: CodingKeys.self).decode([TreeWrite.Part].self, forKey: .parts)
        }
    }
}
