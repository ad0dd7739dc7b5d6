import IMProtocol
import OrderedCollections
import SansIO

/// The tree as the server holds it. The values outlive connections and processes; who listens, and what is to be done
/// at the end of a connection, belongs to connections.
struct ServerTree: Hashable, Sendable, Codable {
    private(set) var root: TreeValue = .null
    /// The places that each connection listens to, in the order in which it asked.
    private(set) var listeners: OrderedDictionary<ConnectionID, OrderedSet<TreePath>> = [:]
    /// What is to be done when a connection ends, in the order in which it was registered (SYNC-6).
    private(set) var orders: OrderedDictionary<ConnectionID, [TreeChange]> = [:]

    subscript(path: TreePath) -> TreeValue { root[path.keys[...]] }

    /// Puts all of the changes in their places, or none where there is no room for what comes of them.
    mutating func apply(_ changes: [TreeChange]) -> Bool {
        let next = changes.reduce(root) { $0.setting($1.path.keys[...], to: $1.value) }
        guard next.weight <= TreeLimit.weightMax else { return false }
        root = next
        return true
    }

    /// What those who listen see after a change from another value of the tree, each place once, where it is another
    /// value there. A change above or below a place can be seen there, one beside it cannot.
    func news(since before: TreeValue) -> [(connection: ConnectionID, path: TreePath, value: TreeValue)] {
        listeners.flatMap { connection, paths in
            paths.compactMap { path in
                let value = self[path]
                return value == before[path.keys[...]] ? nil : (connection, path, value)
            }
        }
    }

    mutating func listen(_ connection: ConnectionID, at path: TreePath) -> Bool {
        var paths = listeners[connection] ?? []
        guard paths.contains(path) || paths.count < TreeLimit.listenersMax else { return false }
        paths.append(path)
        listeners[connection] = paths
        return true
    }

    mutating func unlisten(_ connection: ConnectionID, at path: TreePath) {
        listeners[connection]?.remove(path)
        if listeners[connection]?.isEmpty == true { listeners.removeValue(forKey: connection) }
    }

    /// Notes what to do when the connection ends. What was noted for the same place or below it would be overwritten
    /// then, and is forgotten now.
    mutating func register(_ changes: [TreeChange], for connection: ConnectionID) -> Bool {
        var noted = orders[connection] ?? []
        noted.removeAll { old in changes.contains { old.path.keys(below: $0.path) != nil } }
        noted += changes
        guard noted.count <= TreeLimit.registrationsMax,
            noted.reduce(0, { $0 + $1.value.weight }) <= TreeLimit.weightMax
        else { return false }
        orders[connection] = noted
        return true
    }

    /// Takes back what was noted for a place and below it.
    mutating func cancel(at path: TreePath, for connection: ConnectionID) {
        orders[connection]?.removeAll { $0.path.keys(below: path) != nil }
        if orders[connection]?.isEmpty == true { orders.removeValue(forKey: connection) }
    }

    mutating func forgetListener(_ connection: ConnectionID) {
        if listeners[connection] != nil { listeners.removeValue(forKey: connection) }
    }

    /// A connection has ended: it listens no more, and what was noted for this is done and forgotten, each order by
    /// itself, so that one for which there is no room any more keeps no other from being done.
    mutating func end(_ connection: ConnectionID) {
        listeners.removeValue(forKey: connection)
        for change in orders.removeValue(forKey: connection) ?? [] { _ = apply([change]) }
    }

    /// The tree as the server's next process finds it: the end of the process was the end of every connection.
    func withoutConnections() -> ServerTree {
        var kept = self
        for connection in orders.keys { kept.end(connection) }
        kept.listeners.removeAll()
        return kept
    }
}
