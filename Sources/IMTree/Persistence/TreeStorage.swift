/// The tree data that a device stores: queries with their results, and the writes that the server has not acknowledged.
/// The device keeps the data when the app's process ends (SYNC-2). This is a pure value; `TreeStore` stores it on disk.
public struct TreeStorage: Sendable, Hashable, Codable {
    public private(set) var tracked = SortedMap<UInt64, TrackedQuery>()
    private var nodes = SortedMap<UInt64, TreeNode>()
    private var writes = SortedMap<UInt64, TreeWrite>()

    public init() {}

    /// The storage at the start of a process. The data of the queries is not loaded.
    public init(_ contents: Contents) {
        for query in contents.tracked { tracked.set(query.number, query) }
        for write in contents.writes { writes.set(write.id, write) }
    }

    /// Replaces the data of queries; ignores queries that are not tracked.
    public mutating func set(_ held: [Held]) {
        for query in held where tracked[query.number] != nil { nodes.set(query.number, query.node) }
    }

    /// A change of the storage.
    public enum Change: Sendable, Hashable, Codable {
        /// Adds a query, or updates its properties.
        case track(TrackedQuery)
        /// Removes a query and its data.
        case forget(UInt64)
        /// Sets nodes at paths of a query's data.
        case put(UInt64, [TreeWrite.Part])
        /// Sets nodes at paths of a query's data, but not below a missing child: a part does not make a child complete.
        case amend(UInt64, [TreeWrite.Part])
        /// Adds a write that the server has not acknowledged.
        case hold(TreeWrite)
        /// Removes a write, because the server has answered it.
        case release(UInt64)
    }

    /// The contents at the start of a process, without the data of the queries.
    public struct Contents: Sendable, Hashable, Codable {
        /// The tracked queries, in the order of their numbers.
        public var tracked: [TrackedQuery]
        /// The unacknowledged writes, oldest first.
        public var writes: [TreeWrite]

        public init(tracked: [TrackedQuery] = [], writes: [TreeWrite] = []) {
            self.tracked = tracked
            self.writes = writes
        }
    }

    /// The stored data of a query.
    public struct Held: Sendable, Hashable, Codable {
        public var number: UInt64
        public var node: TreeNode

        public init(_ number: UInt64, _ node: TreeNode) {
            self.number = number
            self.node = node
        }
    }

    /// The data of the queries with these numbers. Queries that are not tracked are left out.
    public func storedData(of numbers: [UInt64]) -> [Held] {
        numbers.filter { tracked[$0] != nil }.map { Held($0, node(of: $0)) }
    }

    public var contents: Contents { Contents(tracked: tracked.map(\.value), writes: writes.map(\.value)) }

    /// The data of a query, as a node at the query's path; empty if there is none.
    public func node(of number: UInt64) -> TreeNode { nodes[number] ?? .empty }

    public mutating func apply(_ change: Change) {
        switch change {
        case .track(let query): tracked.set(query.number, query)
        case .forget(let number):
            tracked.remove(number)
            nodes.remove(number)
        case .put(let number, _), .amend(let number, _):
            let node = node(of: number).applying(change)
            if node.isEmpty { nodes.remove(number) } else { nodes.set(number, node) }
        case .hold(let write): writes.set(write.id, write)
        case .release(let write): writes.remove(write)
        }
    }
}

extension TreeNode {
    /// The node after a change, if this node is the data of the changed query. Only `put` and `amend` change it.
    public func applying(_ change: TreeStorage.Change) -> TreeNode {
        switch change {
        case .put(_, let parts): PathTree(parts).applied(to: self)
        case .amend(_, let parts): PathTree(parts.filter { $0.keys.count < 2 || has($0.keys[0]) }).applied(to: self)
        case .track, .forget, .hold, .release: self
        }
    }
}
