import IMProtocol
import IMTree

/// What an app asks of the tree. Paths are keys joined by `/`; empty is the root.
public enum TreeCommand: Hashable, Sendable, Codable {
    /// Puts a node there; an empty one removes what is there. A priority by itself is put at `PATH/.priority`.
    case set(path: String, TreeNode)
    /// Puts nodes at places below, all or none, and leaves what is beside them.
    case update(path: String, TreeUpdate)
    /// Puts a node below, under a name that comes after all that were made before.
    case push(path: String, TreeNode)
    /// What stands there now.
    case get(path: String, TreeQuery? = nil)
    /// To be told what stands there now and whenever it has changed; the value alone where nothing is said.
    case listen(path: String, TreeListening? = nil)
    /// To be told no longer; of every query where none is said.
    case unlisten(path: String, TreeQuery? = nil)
    /// Makes a new node of the old one.
    case transaction(path: String, TransactionExpression, isHidden: Bool)
    /// Keeps what a query gives up to date though nobody listens, or no longer (SYNC-3).
    case keep(path: String, TreeQuery? = nil, isOn: Bool)
    /// What is listened to and what is written outlives the process from now on, and of what nobody listens to about so many
    /// bytes; nil for nothing. To be said before anything else (SYNC-2).
    case persistence(bytesMax: Int?)
    /// What is known there and below: how far, what of it is only this client's own word, and where the rest comes from.
    case outline(path: String)
    /// To be put there by the server when the connection ends, however it ends (SYNC-6).
    case onDisconnect(path: String, TreeNode)
    /// The same at places below.
    case onDisconnectUpdate(path: String, TreeUpdate)
    /// Takes back what was registered at the path.
    case cancelOnDisconnect(path: String)

    /// The place that it is about, as it was asked for; nothing is checked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .push(let path, _), .get(let path, _), .listen(let path, _),
            .unlisten(let path, _), .transaction(let path, _, _), .outline(let path), .onDisconnect(let path, _),
            .onDisconnectUpdate(let path, _), .cancelOnDisconnect(let path), .keep(let path, _, _):
            path
        case .persistence: ""
        }
    }

    /// Whether the app makes a reference for it. Who only looks at what is known changes nothing.
    var isReference: Bool {
        switch self {
        case .outline, .persistence: false
        case .set, .update, .push, .get, .listen, .unlisten, .transaction, .keep, .onDisconnect, .onDisconnectUpdate,
            .cancelOnDisconnect:
            true
        }
    }

    /// The word for it in recordings and JSON.
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
    /// The place that it is about, where nothing is wrong with the command.
    ///
    /// - Throws: what would be refused wherever it came.
    var checkedPath: TreePath {
        get throws(TreeRefusal) {
            let request: TreeRequest =
                switch self {
                case .set(let path, let node): .set(path: path, node)
                case .update(let path, let update): .update(path: path, update.parts)
                // With a name as long as the one that it will have.
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

/// What a listener wants to be told.
public struct TreeListening: Hashable, Sendable, Codable {
    /// Of which children.
    public var query: TreeQuery
    /// Which events.
    public var kinds: [TreeEventKind]

    /// Where nothing else is said, the value of everything.
    public init(_ query: TreeQuery = .all, kinds: [TreeEventKind] = [.value]) {
        self.query = query
        self.kinds = kinds
    }
}

/// What an update puts where.
public struct TreeUpdate: Hashable, Sendable {
    /// Seen from the update's place.
    public var parts: [TreeWrite.Part]

    /// Nothing is checked.
    public init(_ parts: [TreeWrite.Part]) { self.parts = parts }
}

extension TreeUpdate: Codable {
    private enum CodingKeys: String, CodingKey {
        case parts, children
    }

    /// Older versions had the children as one value.
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
