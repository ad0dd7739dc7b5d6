import IMProtocol
import IMTree
import OrderedCollections
import SansIO

/// The shared data tree of the server. The nodes and rules are independent of connections. Listens and onDisconnect
/// operations belong to connections.
struct ServerTree: Hashable, Sendable {
    private var tree = TreeServer()
    /// The listens of each connection, in the order of the requests.
    private(set) var listens: OrderedDictionary<ConnectionID, [TreeListen]> = [:]
    /// The onDisconnect operations of each connection, in the order of registration (SYNC-6).
    private(set) var orders: OrderedDictionary<ConnectionID, [TreeChange]> = [:]
    private(set) var rules = TreeRules()
    /// An upper bound of the tree's weight, because computing the exact weight takes a pass over the tree.
    private var weightBound = 0

    init(_ root: TreeNode = .empty) {
        tree = TreeServer(root)
        weightBound = root.weight
    }

    var root: TreeNode { tree.root }

    // MARK: Changes

    /// Applies a whole change, or none of it if the tree would become too large.
    ///
    /// - Returns: the events for the listeners; nil if the tree would become too large.
    mutating func apply(_ change: TreeWrite.Change, at keys: [TreeKey]) -> [TreeServer.ClientEvent]? {
        var next = self
        let events = next.tree.apply(change, at: keys)
        next.weightBound += change.weight + keys.reduce(0) { $0 + $1.text.utf8.count + 20 }
        if next.weightBound > TreeLimit.weightMax { next.weightBound = next.root.weight }
        guard next.weightBound <= TreeLimit.weightMax else { return nil }
        self = next
        return events
    }

    // MARK: Listens

    /// Starts a listen. An earlier listen of the connection with the same number ends.
    ///
    /// - Returns: nil if the connection has too many listens; otherwise its first event. The event is nil if the value
    ///   has the given hash, so the client already has it.
    mutating func listen(_ listen: TreeListen, hash: TreeHash?, by connection: ConnectionID) -> TreeServerEvent?? {
        var connectionListens = listens[connection] ?? []
        if let index = connectionListens.firstIndex(where: { $0.number == listen.number }) {
            tree.unlisten(connectionListens.remove(at: index), by: connection.treeClient)
        }
        guard connectionListens.count < TreeLimit.listenersMax else { return nil }
        connectionListens.append(listen)
        listens[connection] = connectionListens
        return .some(tree.listen(listen, by: connection.treeClient, hash: hash))
    }

    mutating func unlisten(_ number: UInt64, by connection: ConnectionID) {
        guard let index = listens[connection]?.firstIndex(where: { $0.number == number }),
            let listen = listens[connection]?.remove(at: index)
        else { return }
        tree.unlisten(listen, by: connection.treeClient)
        if listens[connection]?.isEmpty == true { listens.removeValue(forKey: connection) }
    }

    mutating func removeListens(of connection: ConnectionID) {
        for listen in listens.removeValue(forKey: connection) ?? [] {
            tree.unlisten(listen, by: connection.treeClient)
        }
    }

    // MARK: Security rules

    /// Changes the security rule of a path.
    ///
    /// - Parameter user: returns the user of a connection.
    /// - Returns: the listens that have ended because the rule no longer allows them; nil if there are too many rules.
    mutating func setRule(
        _ rule: TreeRule, at keys: [TreeKey], user: (ConnectionID) -> String?
    ) -> [(connection: ConnectionID, listen: UInt64)]? {
        rules[keys] = rule
        guard rules.all.count <= TreeLimit.rulesMax else {
            rules[keys] = TreeRule()
            return nil
        }
        var ended: [(connection: ConnectionID, listen: UInt64)] = []
        for (connection, connectionListens) in listens {
            guard let user = user(connection) else { continue }
            for listen in connectionListens where !rules.allow(.read, at: listen.path, to: user) {
                ended.append((connection, listen.number))
            }
        }
        for one in ended { unlisten(one.listen, by: one.connection) }
        return ended
    }

    // MARK: onDisconnect operations

    /// Registers an onDisconnect operation. Earlier operations at the same path or below it are dropped, because the
    /// new one would overwrite their values.
    ///
    /// - Returns: false if the connection has too many operations, or if they are too large.
    mutating func register(
        _ change: TreeWrite.Change, at path: TreePath, for connection: ConnectionID, by user: String
    ) -> Bool {
        let changes = change.changes(at: path, by: user)
        var operations = orders[connection] ?? []
        operations.removeAll { old in changes.contains { old.path.keys(below: $0.path) != nil } }
        operations += changes
        guard operations.count <= TreeLimit.registrationsMax,
            operations.reduce(0, { $0 + $1.value.weight }) <= TreeLimits.writeWeightMax
        else { return false }
        orders[connection] = operations
        return true
    }

    /// Cancels the onDisconnect operations at a path and below it. An operation at a path above still runs, but keeps
    /// the current value at the cancelled path.
    ///
    /// - Returns: false if there are too many operations and cancelled paths to store.
    mutating func cancel(at path: TreePath, for connection: ConnectionID) -> Bool {
        var operations = orders[connection] ?? []
        operations.removeAll { $0.path.keys(below: path) != nil }
        for index in operations.indices where path.keys(below: operations[index].path) != nil {
            operations[index].spare(path)
        }
        let count = operations.reduce(0) { $0 + 1 + ($1.spared?.count ?? 0) }
        guard count <= TreeLimit.registrationsMax else { return false }
        orders[connection] = operations.isEmpty ? nil : operations
        return true
    }

    /// Ends a connection: ends its listens and runs its onDisconnect operations. Each operation is applied separately,
    /// so that the others still run if one is too large for the tree.
    ///
    /// - Parameter milliseconds: the server's time, for the timestamps in the operations (SYNC-7).
    mutating func end(_ connection: ConnectionID, at milliseconds: Double) -> [TreeServer.ClientEvent] {
        removeListens(of: connection)
        var events: [TreeServer.ClientEvent] = []
        for operation in orders.removeValue(forKey: connection) ?? [] {
            guard rules.allow(.write, at: operation.path.keys, to: operation.user ?? "") else { continue }
            let value = operation.value.resolved(at: milliseconds)
            events += apply(.set(operation.sparing(root, value)), at: operation.path.keys) ?? []
        }
        return events
    }

    /// The tree without its listens.
    var withoutListens: ServerTree {
        var kept = self
        for connection in kept.listens.keys { kept.removeListens(of: connection) }
        return kept
    }

    /// The tree after a restart of the server, which ends all connections.
    func withoutConnections(at milliseconds: Double) -> ServerTree {
        var kept = withoutListens
        for connection in orders.keys { _ = kept.end(connection, at: milliseconds) }
        return kept
    }
}

/// A change of the stored tree, so that a store does not have to write the whole tree.
public struct KeptTreeChange: Hashable, Sendable, Codable {
    struct Orders: Hashable, Sendable, Codable {
        var connection: ConnectionID
        /// All onDisconnect operations of the connection after the change; empty if it has none.
        var orders: [TreeChange]
    }

    var nodes: [TreeChange]
    var orders: [Orders]
    /// The security rules; nil if they did not change.
    var rules: TreeRules?

    /// True if no stored part of the tree has changed.
    public var isEmpty: Bool { nodes.isEmpty && orders.isEmpty && rules == nil }
}

extension ServerTree {
    /// The difference between an older tree and this one, without the listens. Nil if a ``KeptTreeChange`` cannot
    /// express it because the order of the connections differs.
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

    /// Applies a stored change. The tree must not have any listens.
    mutating func apply(_ change: KeptTreeChange) {
        tree = TreeServer(change.nodes.reduce(root) { $0.setting($1.path.keys[...], to: $1.value) })
        weightBound = root.weight
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

/// A new node for a path. An empty node removes the existing one.
struct TreeChange: Hashable, Sendable, Codable {
    var path: TreePath
    var value: TreeNode
    /// The user who requested the change; nil if an older version stored it.
    var user: String?
    /// The paths below at which the change was cancelled, so that it keeps their values; nil for none.
    var spared: [TreePath]?

    /// Cancels the change at a path below its own path.
    mutating func spare(_ path: TreePath) {
        var all = spared ?? []
        guard !all.contains(where: { path.keys(below: $0) != nil }) else { return }
        all.removeAll { $0.keys(below: path) != nil }
        spared = all + [path]
    }

    /// The value to write: `value`, with the current values of the tree at the cancelled paths.
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
    /// The connection over which the client listens.
    var connection: ConnectionID { ConnectionID(UInt32(truncatingIfNeeded: rawValue)) }
}

extension ServerTree: Codable {
    private enum CodingKeys: String, CodingKey {
        case root, tree, listens, orders, rules
    }

    /// Reads the tree. Older versions stored only the nodes and the onDisconnect operations.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let tree = try container.decodeIfPresent(TreeServer.self, forKey: .tree) {
            self.tree = tree
        } else {
            tree = TreeServer(try container.decode(TreeNode.self, forKey: .root))
        }
        weightBound = tree.root.weight
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
