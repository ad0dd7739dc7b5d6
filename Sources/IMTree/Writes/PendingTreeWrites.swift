/// A write that the server has not acknowledged.
public struct TreeWrite: Sendable, Hashable, Codable {
    /// The number of the write, which is unique for the client and increases.
    public var id: UInt64
    public var path: [TreeKey]
    public var change: Change
    /// True if listeners see the write before the server acknowledges it. The write of a transaction may be hidden.
    public var isVisible: Bool

    public enum Change: Sendable, Hashable, Codable {
        /// Sets the node at the path.
        case set(TreeNode)
        /// Sets nodes at paths below the write's path, either all of them or none. Other children are not changed.
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

    /// True if a path of one write is at, above or below a path of the other write.
    func overlaps(_ other: TreeWrite) -> Bool {
        let others = other.parts
        return parts.contains { part in
            others.contains { $0.keys.starts(with: part.keys) || part.keys.starts(with: $0.keys) }
        }
    }

    /// The nodes that the write sets, with their paths from the root.
    var parts: [Part] {
        switch change {
        case .set(let node): [Part(path, node)]
        case .update(let parts): parts.inOrder.map { Part(path + $0.keys, $0.node) }
        }
    }
}

extension [TreeWrite.Part] {
    /// The parts in an order in which applying them one by one has the same result as applying the update as a whole.
    /// Nodes are added before others are removed: otherwise a node could become empty in between and lose its priority.
    /// A priority is set after its node.
    var inOrder: [TreeWrite.Part] {
        func isPriority(_ part: TreeWrite.Part) -> Bool { part.keys.last == .priority }
        return filter { !isPriority($0) && !$0.node.isEmpty } + filter { !isPriority($0) && $0.node.isEmpty }
            + filter(isPriority)
    }
}

/// The writes that the server has not acknowledged, oldest first, and their effect on the server's data (SYNC-10).
struct PendingTreeWrites: Sendable, Hashable {
    private(set) var writes: [TreeWrite] = []
    /// The combined effect of the visible writes.
    private var visible = LocalWrites()

    mutating func add(_ write: TreeWrite) {
        writes.append(write)
        if write.isVisible { visible.add(write) }
    }

    /// Removes a write.
    ///
    /// - Returns: the write, and true if listeners saw it; nil if no write has the number.
    mutating func remove(_ id: UInt64) -> (write: TreeWrite, wasVisible: Bool)? {
        guard let index = writes.firstIndex(where: { $0.id == id }) else { return nil }
        let write = writes.remove(at: index)
        guard write.isVisible else { return (write, false) }
        visible.remove(write)
        return (write, true)
    }

    /// The visible writes, relative to a path.
    func at(_ path: [TreeKey]) -> LocalWrites { path.reduce(visible) { $0.at($1) } }

    /// The node at a path after all writes, visible or not; nil if it is not fully known.
    ///
    /// - Parameter node: the server's complete node at the path; nil if it is not fully known.
    func everything(at path: [TreeKey], over node: TreeNode?, besides excluded: [UInt64] = []) -> TreeNode? {
        var all = LocalWrites()
        for write in writes where !excluded.contains(write.id) { all.add(write) }
        return path.reduce(all) { $0.at($1) }.complete(over: node)
    }
}
