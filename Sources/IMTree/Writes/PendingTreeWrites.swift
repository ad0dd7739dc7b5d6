/// A write that the server has not acknowledged.
public struct TreeWrite: Sendable, Hashable, Codable {
    /// Counts the client's writes.
    public var id: UInt64
    public var path: [TreeKey]
    public var change: Change
    /// True if listeners see it before it is acknowledged. A transaction's write may be hidden.
    public var isVisible: Bool

    public enum Change: Sendable, Hashable, Codable {
        /// Sets the node at the path.
        case set(TreeNode)
        /// Sets nodes at paths below, all or none, and leaves other children unchanged.
        case update([Part])
    }

    public struct Part: Sendable, Hashable, Codable {
        public var keys: [TreeKey]
        public var node: TreeNode

        public init(_ keys: [TreeKey], _ node: TreeNode) {
            self.keys = keys
            self.node = node
        }
    }

    public init(id: UInt64, at path: [TreeKey], _ change: Change, isVisible: Bool = true) {
        self.id = id
        self.path = path
        self.change = change
        self.isVisible = isVisible
    }

    /// True if the path of one write is at, above or below a path of the other.
    func meets(_ other: TreeWrite) -> Bool {
        let others = other.parts
        return parts.contains { part in
            others.contains { $0.keys.starts(with: part.keys) || part.keys.starts(with: $0.keys) }
        }
    }

    /// The written nodes, with paths from the root.
    var parts: [Part] {
        switch change {
        case .set(let node): [Part(path, node)]
        case .update(let parts): parts.inOrder.map { Part(path + $0.keys, $0.node) }
        }
    }
}

extension [TreeWrite.Part] {
    /// In this order, applying the parts one by one has the same result as the update at once. Nodes are added before
    /// others are removed, so that no node becomes empty in between and loses its priority, and a priority is set after
    /// its node.
    var inOrder: [TreeWrite.Part] {
        func isPriority(_ part: TreeWrite.Part) -> Bool { part.keys.last == .priority }
        return filter { !isPriority($0) && !$0.node.isEmpty } + filter { !isPriority($0) && $0.node.isEmpty }
            + filter(isPriority)
    }
}

/// The writes that the server has not acknowledged, oldest first, and their effect on the server's data (SYNC-10).
struct PendingTreeWrites: Sendable, Hashable {
    private(set) var writes: [TreeWrite] = []
    /// The visible ones.
    private var visible = LocalWrites()

    mutating func add(_ write: TreeWrite) {
        writes.append(write)
        if write.isVisible { visible.add(write) }
    }

    /// Removes a write.
    ///
    /// - Returns: the write, and true if a part of it was visible; nil for an unknown number.
    mutating func remove(_ id: UInt64) -> (write: TreeWrite, wasVisible: Bool)? {
        guard let index = writes.firstIndex(where: { $0.id == id }) else { return nil }
        let write = writes.remove(at: index)
        guard write.isVisible else { return (write, false) }
        visible.remove(write)
        return (write, true)
    }

    /// The visible writes, relative to a path.
    func at(_ path: [TreeKey]) -> LocalWrites { path.reduce(visible) { $0.at($1) } }

    /// All writes laid over a node, including hidden ones.
    ///
    /// - Parameter node: the server's node at the path, as far as it is known.
    func everything(at path: [TreeKey], over node: TreeNode?, besides excluded: [UInt64] = []) -> TreeNode? {
        var all = LocalWrites()
        for write in writes where !excluded.contains(write.id) { all.add(write) }
        return path.reduce(all) { $0.at($1) }.complete(over: node)
    }
}
