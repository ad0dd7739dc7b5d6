import IMProtocol
import IMTree

/// The commands of an app to the tree. Paths are keys joined by `/`; the empty path is the root.
public enum TreeCommand: Hashable, Sendable, Codable {
    /// Sets the node at the path; an empty node removes the existing one. A priority alone is set at `PATH/.priority`.
    case set(path: String, TreeNode)
    /// Sets nodes at paths below, all or none, and leaves the others unchanged.
    case update(path: String, TreeUpdate)
    /// Adds a node below, under a name that sorts after all earlier ones.
    case push(path: String, TreeNode)
    /// Reads the current value.
    case get(path: String, TreeQuery? = nil)
    /// Starts events for the current value and every change; nil listens to the value only.
    case listen(path: String, TreeListening? = nil)
    /// Stops the events; nil stops those of every query.
    case unlisten(path: String, TreeQuery? = nil)
    /// Replaces a node by one computed from it.
    case transaction(path: String, TransactionExpression, isHidden: Bool)
    /// Keeps the result of a query up to date without a listener, or stops that (SYNC-3).
    case keep(path: String, TreeQuery? = nil, isOn: Bool)
    /// Makes listened and written data outlive the process from now on, and this many bytes of data without listeners;
    /// nil for nothing. Must come before any other command (SYNC-2).
    case persistence(bytesMax: Int?)
    /// Shows the known values at the path and below: how complete they are, which are only local, and the listens that
    /// supply the rest.
    case outline(path: String)
    /// Makes the server set a node when the connection ends, however it ends (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// Makes the server set nodes at paths below this one when the connection ends, however it ends (SYNC-6).
    case onDisconnectUpdate(path: String, TreeUpdate)
    /// Cancels the onDisconnect operations at the path.
    case cancelOnDisconnect(path: String)

    /// The path of the command, unchecked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .push(let path, _), .get(let path, _), .listen(let path, _),
            .unlisten(let path, _), .transaction(let path, _, _), .outline(let path), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path), .keep(let path, _, _):
            path
        case .persistence: ""
        }
    }

    /// True if the app makes a reference for it. Commands that only look at known data change nothing.
    var isReference: Bool {
        switch self {
        case .outline, .persistence: false
        case .set, .update, .push, .get, .listen, .unlisten, .transaction, .keep, .onDisconnect, .onDisconnectUpdate,
            .cancelOnDisconnect:
            true
        }
    }

    /// Its name in recordings and JSON.
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
    /// The path of the command, if the command is valid.
    ///
    /// - Throws: the refusal of an invalid command.
    var checkedPath: TreePath {
        get throws(TreeRefusal) {
            let request: TreeRequest =
                switch self {
                case .set(let path, let node): .set(path: path, node)
                case .update(let path, let update): .update(path: path, update.parts)
                // With a name of the same length as the generated one.
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

/// The events that a listener receives.
public struct TreeListening: Hashable, Sendable, Codable {
    /// The children.
    public var query: TreeQuery
    /// The events.
    public var kinds: [TreeEventKind]

    /// The default value: the value of everything.
    public init(_ query: TreeQuery = .all, kinds: [TreeEventKind] = [.value]) {
        self.query = query
        self.kinds = kinds
    }
}

/// The nodes of an update, with their paths.
public struct TreeUpdate: Hashable, Sendable {
    /// Relative to the update's path.
    public var parts: [TreeWrite.Part]

    /// An unchecked update.
    public init(_ parts: [TreeWrite.Part]) { self.parts = parts }
}

extension TreeUpdate: Codable {
    private enum CodingKeys: String, CodingKey {
        case parts, children
    }

    /// Older versions stored the children as one value.
    private struct Children: Decodable {
        var _0: [Child]

        struct Child: Decodable {
            var key: TreeKey
            var value: TreeNode
        }
    }

    /// Reads the parts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let children = try container.decodeIfPresent(Children.self, forKey: .children) {
            parts = children._0.map { TreeWrite.Part([$0.key], $0.value) }
        } else {
            parts = try container.decode([TreeWrite.Part].self, forKey: .parts)
        }
    }

    /// Writes the parts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(parts, forKey: .parts)
    }
}
