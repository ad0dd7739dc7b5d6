import IMProtocol
import IMTree
import OrderedCollections
import SansIO

/// The server's data tree. The nodes outlive connections and processes; listens and onDisconnect operations belong to
/// connections.
struct ServerTree: Hashable, Sendable {
    private var tree = TreeServer()
    /// The listens of each connection, in the order of its requests.
    private(set) var listens: OrderedDictionary<ConnectionID, [TreeListen]> = [:]
    /// The onDisconnect operations of each connection, in the order of registration (SYNC-6).
    private(set) var orders: OrderedDictionary<ConnectionID, [TreeChange]> = [:]
    /// The security rules.
    private(set) var rules = TreeRules()
    /// An upper bound of the tree's weight.
    private var weightMost = 0

    typealias News = [(client: TreeClientID, news: TreeServerEvent)]

    init(_ root: TreeNode = .empty) {
        tree = TreeServer(root)
        weightMost = root.weight
    }

    var root: TreeNode { tree.root }

    // MARK: Changes

    /// Makes the whole change, or nothing if the result would be too large.
    ///
    /// - Returns: the events for the listeners; nil if the result would be too large.
    mutating func apply(_ change: TreeWrite.Change, at keys: [TreeKey]) -> News? {
        var next = self
        let news = next.tree.apply(change, at: keys)
        next.weightMost += change.weight + keys.reduce(0) { $0 + $1.text.utf8.count + 20 }
        if next.weightMost > TreeLimit.weightMax { next.weightMost = next.root.weight }
        guard next.weightMost <= TreeLimit.weightMax else { return nil }
        self = next
        return news
    }

    /// True if the value at the path has that hash.
    func hasHash(_ hash: TreeHash, at keys: [TreeKey]) -> Bool { root[keys[...]].hash == hash }

    // MARK: Listens

    /// - Returns: nil if the connection has too many listens; otherwise the first event, if there is one.
    mutating func listen(_ listen: TreeListen, hash: TreeHash?, by connection: ConnectionID) -> TreeServerEvent?? {
        var own = listens[connection] ?? []
        if let index = own.firstIndex(where: { $0.number == listen.number }) {
            tree.unlisten(own.remove(at: index), by: connection.treeClient)
        }
        guard own.count < TreeLimit.listenersMax else { return nil }
        own.append(listen)
        listens[connection] = own
        return .some(tree.listen(listen, by: connection.treeClient, hash: hash))
    }

    mutating func unlisten(_ number: UInt64, by connection: ConnectionID) {
        guard let index = listens[connection]?.firstIndex(where: { $0.number == number }),
            let listen = listens[connection]?.remove(at: index)
        else { return }
        tree.unlisten(listen, by: connection.treeClient)
        if listens[connection]?.isEmpty == true { listens.removeValue(forKey: connection) }
    }

    mutating func forgetListens(of connection: ConnectionID) {
        for listen in listens.removeValue(forKey: connection) ?? [] {
            tree.unlisten(listen, by: connection.treeClient)
        }
    }

    // MARK: Rules

    /// Changes the security rule of a path.
    ///
    /// - Parameter user: returns the user of a connection.
    /// - Returns: the listens that are no longer allowed, which have ended; nil if there are too many rules.
    mutating func setRule(
        _ rule: TreeRule, at keys: [TreeKey], user: (ConnectionID) -> String?
    ) -> [(connection: ConnectionID, listen: UInt64)]? {
        rules[keys] = rule
        guard rules.all.count <= TreeLimit.rulesMax else {
            rules[keys] = TreeRule()
            return nil
        }
        var ended: [(connection: ConnectionID, listen: UInt64)] = []
        for (connection, own) in listens {
            guard let user = user(connection) else { continue }
            for listen in own where !rules.allow(.read, at: listen.path, to: user) {
                ended.append((connection, listen.number))
            }
        }
        for one in ended { unlisten(one.listen, by: one.connection) }
        return ended
    }

    // MARK: onDisconnect operations

    /// Registers an onDisconnect operation. Earlier operations for the same path or below it are dropped, because this
    /// one would overwrite them.
    mutating func register(
        _ change: TreeWrite.Change, at path: TreePath, for connection: ConnectionID, by user: String
    ) -> Bool {
        let changes = change.changes(at: path, by: user)
        var noted = orders[connection] ?? []
        noted.removeAll { old in changes.contains { old.path.keys(below: $0.path) != nil } }
        noted += changes
        guard noted.count <= TreeLimit.registrationsMax,
            noted.reduce(0, { $0 + $1.value.weight }) <= TreeLimits.writeWeightMax
        else { return false }
        orders[connection] = noted
        return true
    }

    /// Cancels the onDisconnect operations for a path and below it. Those for a path above still run, but leave this
    /// one unchanged.
    ///
    /// - Returns: true if there was room to record that.
    mutating func cancel(at path: TreePath, for connection: ConnectionID) -> Bool {
        var noted = orders[connection] ?? []
        noted.removeAll { $0.path.keys(below: path) != nil }
        for index in noted.indices where path.keys(below: noted[index].path) != nil { noted[index].spare(path) }
        guard noted.reduce(0, { $0 + 1 + ($1.spared?.count ?? 0) }) <= TreeLimit.registrationsMax else { return false }
        orders[connection] = noted.isEmpty ? nil : noted
        return true
    }

    /// Ends a connection: its listens end, and its onDisconnect operations run. Each operation runs separately, so that
    /// one that no longer fits does not prevent the others.
    ///
    /// - Parameter milliseconds: the server's time, for the timestamps in the operations (SYNC-7).
    mutating func end(_ connection: ConnectionID, at milliseconds: Double) -> News {
        forgetListens(of: connection)
        var news: News = []
        for order in orders.removeValue(forKey: connection) ?? [] {
            guard rules.allow(.write, at: order.path.keys, to: order.user ?? "") else { continue }
            let value = order.value.resolved(at: milliseconds)
            news += apply(.set(order.sparing(root, value)), at: order.path.keys) ?? []
        }
        return news
    }

    /// The tree without its listens.
    var withoutListens: ServerTree {
        var kept = self
        for connection in kept.listens.keys { kept.forgetListens(of: connection) }
        return kept
    }

    /// The tree as the server's next process finds it: the end of the process ended every connection.
    func withoutConnections(at milliseconds: Double) -> ServerTree {
        var kept = withoutListens
        for connection in orders.keys { _ = kept.end(connection, at: milliseconds) }
        return kept
    }
}

/// A change of the tree, so that a store does not have to write the whole tree.
public struct KeptTreeChange: Hashable, Sendable, Codable {
    struct Orders: Hashable, Sendable, Codable {
        var connection: ConnectionID
        /// Empty if the connection has none any more.
        var orders: [TreeChange]
    }

    var nodes: [TreeChange]
    var orders: [Orders]
    /// Nil if they did not change.
    var rules: TreeRules?

    /// True if nothing that outlives the process has changed.
    public var isEmpty: Bool { nodes.isEmpty && orders.isEmpty && rules == nil }
}

extension ServerTree {
    /// The difference from an older tree in the parts that outlive the process; nil if only the whole tree can express
    /// it.
    func change(since old: ServerTree) -> KeptTreeChange? {
        let ended = old.orders.keys.filter { self.orders[$0] == nil }.map {
            KeptTreeChange.Orders(connection: $0, orders: [])
        }
        let new = self.orders.filter { old.orders[$0.key] != $0.value }
        let change = KeptTreeChange(
            nodes: root.changes(since: old.root).map { TreeChange(path: TreePath(keys: $0.keys), value: $0.node) },
            orders: ended + new.map { KeptTreeChange.Orders(connection: $0.key, orders: $0.value) },
            rules: rules == old.rules ? nil : rules)
        var orders = old.orders
        change.apply(to: &orders)
        return orders == self.orders ? change : nil
    }

    /// Only for a tree without listens.
    mutating func apply(_ change: KeptTreeChange) {
        tree = TreeServer(change.nodes.reduce(root) { $0.setting($1.path.keys[...], to: $1.value) })
        weightMost = root.weight
        change.apply(to: &orders)
        rules = change.rules ?? rules
    }
}

extension KeptTreeChange {
    fileprivate func apply(to orders: inout OrderedDictionary<ConnectionID, [TreeChange]>) {
        for change in self.orders {
            orders[change.connection] = change.orders.isEmpty ? nil : change.orders
        }
    }
}

/// A new node at a path; an empty node removes.
struct TreeChange: Hashable, Sendable, Codable {
    var path: TreePath
    var value: TreeNode
    /// The user who requested it; nil if an older version stored it.
    var user: String?
    /// Paths below that the change leaves unchanged, because it was cancelled there; nil for none.
    var spared: [TreePath]?

    /// Cancels the change at a path below.
    mutating func spare(_ path: TreePath) {
        var all = spared ?? []
        guard !all.contains(where: { path.keys(below: $0) != nil }) else { return }
        all.removeAll { $0.keys(below: path) != nil }
        spared = all + [path]
    }

    /// The value to write, with the current values of the tree at the spared paths.
    func sparing(_ root: TreeNode, _ value: TreeNode) -> TreeNode {
        (spared ?? []).reduce(value) { value, path in
            path.keys(below: self.path).map { value.setting($0, to: root[path.keys[...]]) } ?? value
        }
    }
}

extension TreeWrite.Change {
    fileprivate func changes(at path: TreePath, by user: String) -> [TreeChange] {
        switch self {
        case .set(let node): [TreeChange(path: path, value: node, user: user)]
        case .update(let parts):
            parts.map { TreeChange(path: TreePath(keys: path.keys + $0.keys), value: $0.node, user: user) }
        }
    }
}

extension ConnectionID {
    fileprivate var treeClient: TreeClientID { TreeClientID(rawValue: UInt64(rawValue)) }
}

extension TreeClientID {
    /// The connection of the client.
    var connection: ConnectionID { ConnectionID(UInt32(truncatingIfNeeded: rawValue)) }
}

extension ServerTree: Codable {
    private enum CodingKeys: String, CodingKey {
        case root, tree, listens, orders, rules
    }

    /// Reads the tree. Older versions stored only the nodes and the onDisconnect operations; their listens are lost.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let tree = try container.decodeIfPresent(TreeServer.self, forKey: .tree) {
            self.tree = tree
        } else {
            tree = TreeServer(try container.decode(TreeNode.self, forKey: .root))
        }
        weightMost = tree.root.weight
        listens = try container.decodeIfPresent(type(of: listens), forKey: .listens) ?? [:]
        orders = try container.decodeIfPresent(type(of: orders), forKey: .orders) ?? [:]
        rules = try container.decodeIfPresent(TreeRules.self, forKey: .rules) ?? TreeRules()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tree, forKey: .tree)
        try container.encode(listens, forKey: .listens)
        try container.encode(orders, forKey: .orders)
        if !rules.isEmpty { try container.encode(rules, forKey: .rules) }
    }

    static func == (one: ServerTree, other: ServerTree) -> Bool {
        one.tree == other.tree && one.listens == other.listens && one.orders == other.orders && one.rules == other.rules
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(tree)
        hasher.combine(orders)
    }
}
