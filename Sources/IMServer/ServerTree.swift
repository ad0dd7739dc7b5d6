import IMProtocol
import IMTree
import OrderedCollections
import SansIO

/// The tree as the server holds it. The nodes outlive connections and processes; who listens, and what is to be done at
/// the end of a connection, belongs to connections.
struct ServerTree: Hashable, Sendable {
    private var tree = TreeServer()
    /// What each connection listens to, in the order in which it asked.
    private(set) var listens: OrderedDictionary<ConnectionID, [TreeListen]> = [:]
    /// What is to be done when a connection ends, in the order in which it was registered (SYNC-6).
    private(set) var orders: OrderedDictionary<ConnectionID, [TreeChange]> = [:]
    /// Who may read and write what.
    private(set) var rules = TreeRules()
    /// Not less than what the tree weighs.
    private var weightMost = 0

    typealias News = [(client: TreeClientID, news: TreeNews)]

    init(_ root: TreeNode = .empty) {
        tree = TreeServer(root)
        weightMost = root.weight
    }

    var root: TreeNode { tree.root }

    // MARK: Changes

    /// Puts all of it in its places, or nothing where there is no room for what comes of it.
    ///
    /// - Returns: what those who listen are to be told.
    mutating func apply(_ change: TreeWrite.Change, at keys: [TreeKey]) -> News? {
        var next = self
        let news = next.tree.apply(change, at: keys)
        next.weightMost += change.weight + keys.reduce(0) { $0 + $1.text.utf8.count + 20 }
        if next.weightMost > TreeLimit.weightMax { next.weightMost = next.root.weight }
        guard next.weightMost <= TreeLimit.weightMax else { return nil }
        self = next
        return news
    }

    /// Whether something with that hash stands there.
    func stands(_ hash: TreeHash, at keys: [TreeKey]) -> Bool { root[keys[...]].hash == hash }

    // MARK: Listens

    /// - Returns: what is to be told first, if anything; nil where the connection listens to too much.
    mutating func listen(_ listen: TreeListen, hash: TreeHash?, by connection: ConnectionID) -> TreeNews?? {
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

    /// Says something else about a place.
    ///
    /// - Parameter user: whose connection it is.
    /// - Returns: the listens that are not allowed any more, which have ended; nil where there are too many rules.
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
            for listen in own where !rules.allow(.read, at: listen.place, to: user) {
                ended.append((connection, listen.number))
            }
        }
        for one in ended { unlisten(one.listen, by: one.connection) }
        return ended
    }

    // MARK: Orders for the end of a connection

    /// Notes what to do when the connection ends. What was noted for the same place or below it would be overwritten
    /// then, and is forgotten now.
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

    /// Takes back what was noted for a place and below it. What was noted for a place above is still done, but leaves
    /// this one as it is then.
    ///
    /// - Returns: whether there was room to note that.
    mutating func cancel(at path: TreePath, for connection: ConnectionID) -> Bool {
        var noted = orders[connection] ?? []
        noted.removeAll { $0.path.keys(below: path) != nil }
        for index in noted.indices where path.keys(below: noted[index].path) != nil { noted[index].spare(path) }
        guard noted.reduce(0, { $0 + 1 + ($1.spared?.count ?? 0) }) <= TreeLimit.registrationsMax else { return false }
        orders[connection] = noted.isEmpty ? nil : noted
        return true
    }

    /// A connection has ended: it listens no more, and what was noted for this is done and forgotten, each order by
    /// itself, so that one for which there is no room any more keeps no other from being done.
    ///
    /// - Parameter milliseconds: the server's time, which timestamps in the orders are of (SYNC-7).
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

    /// The tree when nobody listens to it.
    var withoutListens: ServerTree {
        var kept = self
        for connection in kept.listens.keys { kept.forgetListens(of: connection) }
        return kept
    }

    /// The tree as the server's next process finds it: the end of the process was the end of every connection.
    func withoutConnections(at milliseconds: Double) -> ServerTree {
        var kept = withoutListens
        for connection in orders.keys { _ = kept.end(connection, at: milliseconds) }
        return kept
    }
}

/// What changed of the tree, so that a store need not write all of it.
public struct KeptTreeChange: Hashable, Sendable, Codable {
    struct Orders: Hashable, Sendable, Codable {
        var connection: ConnectionID
        /// None where the connection has none any more.
        var orders: [TreeChange]
    }

    var nodes: [TreeChange]
    var orders: [Orders]
    /// Nil where they did not change.
    var rules: TreeRules?

    /// Whether nothing changed that outlives the process.
    public var isEmpty: Bool { nodes.isEmpty && orders.isEmpty && rules == nil }
}

extension ServerTree {
    /// What differs from an older tree, of what outlives the process; nil where only the whole tree says it.
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

    /// Only for a tree that nobody listens to.
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

/// One node put in one place; an empty one removes.
struct TreeChange: Hashable, Sendable, Codable {
    var path: TreePath
    var value: TreeNode
    /// Who wants it there; nil in what older versions kept.
    var user: String?
    /// Places below that the change leaves as they are, because it was taken back there; nil for none.
    var spared: [TreePath]?

    /// Takes the change back at a place below.
    mutating func spare(_ path: TreePath) {
        var all = spared ?? []
        guard !all.contains(where: { path.keys(below: $0) != nil }) else { return }
        all.removeAll { $0.keys(below: path) != nil }
        spared = all + [path]
    }

    /// The value that is put in place of what stands in the tree.
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

    /// Reads the tree. Older versions had only the nodes and the orders, and told listeners otherwise: theirs are gone.
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
