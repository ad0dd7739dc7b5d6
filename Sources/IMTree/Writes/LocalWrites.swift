/// The effect of the pending writes on a path and everything below it.
struct LocalWrites: Sendable, Hashable {
    /// The nodes that writes set completely, so that they are known without the server's data.
    private var known = CompoundWrite()
    /// The parts of all writes, at their paths. They are applied one after the other, as the server applies them: a
    /// node that loses its last child loses its priority, and an empty node cannot have one.
    private var parts = PathTree<[Part]>()

    private struct Part: Sendable, Hashable {
        var write: UInt64
        /// The index of the part within its write.
        var index: Int
        var node: TreeNode
    }

    var isEmpty: Bool { known.isEmpty && parts.isEmpty }

    mutating func add(_ write: TreeWrite) {
        for (index, part) in write.parts.enumerated() {
            known.add(part.node, at: part.keys[...])
            parts.change(part.keys[...]) { tree in
                tree.value = (tree.value ?? []) + [Part(write: write.id, index: index, node: part.node)]
            }
        }
    }

    /// Removes a write, and combines the other writes at its paths again.
    mutating func remove(_ write: TreeWrite) {
        for part in write.parts {
            parts.change(part.keys[...]) { tree in
                let others = tree.value?.filter { $0.write != write.id } ?? []
                tree.value = others.isEmpty ? nil : others
            }
        }
        for part in write.parts {
            let keys = known.keysOfWhole(on: part.keys[...])
            known.remove(at: keys)
            for (below, node) in LocalWrites.inOrder(parts[keys]) { known.add(node, at: keys + below) }
        }
    }

    /// The writes relative to a child of the path.
    func at(_ key: TreeKey) -> LocalWrites {
        guard known.completeNode(at: []) != nil || !parts.isEmpty else { return self }
        var below = LocalWrites()
        below.known = known.at([key])
        below.parts = parts[[key]]
        return below
    }

    private func at(_ keys: TreeKeys) -> LocalWrites { keys.reduce(self) { $0.at($1) } }

    /// True if a write sets the priority of the path's node, or of a node on the way along `keys`.
    func hasPriority(on keys: TreeKeys) -> Bool {
        var (tree, keys) = (parts, keys)
        while true {
            if tree.children[.priority] != nil || tree.value?.contains(where: { $0.node.priority != nil }) == true {
                return true
            }
            guard let key = keys.popFirst(), let below = tree.children[key] else { return false }
            tree = below
        }
    }

    // MARK: Nodes

    /// The node that a write sets at a path or above it; nil if there is none. This node hides the server's node.
    func shadowing(_ keys: TreeKeys) -> TreeNode? { known.completeNode(at: keys) }

    /// The complete node at the path after the writes; nil if it is not completely known.
    ///
    /// - Parameter node: the server's complete node at the path; nil if it is not completely known.
    func complete(over node: TreeNode?) -> TreeNode? { known.completeNode(at: []) ?? node.map(applied) }

    /// The complete children after the writes. The node's own value and priority are left out.
    ///
    /// - Parameter node: a node with the complete children that are known from the server.
    func completeChildren(over node: TreeNode) -> TreeNode {
        if let own = known.completeNode(at: []) { return TreeNode(own.children) }
        var children = TreeNode.empty
        for (key, child) in node.children { children = children.setting(key, to: at(key).applied(to: child)) }
        for (key, child) in known.completeChildren where key != .priority {
            children = children.setting(key, to: child)
        }
        return children
    }

    /// The complete children after the writes, in the order of a query. The time depends on the number of written
    /// children. The node's own value and priority are left out.
    func completeChildren(over ordered: OrderedNode) -> OrderedNode {
        if let own = known.completeNode(at: []) { return OrderedNode(TreeNode(own.children), ordered.order) }
        var children = ordered
        for (key, _) in parts.children where key != .priority && ordered.node.has(key) {
            children.set(key, to: at(key).applied(to: ordered.node[key]))
        }
        for (key, child) in known.completeChildren where key != .priority { children.set(key, to: child) }
        return children
    }

    /// A complete child after the writes; nil if it is not completely known.
    func completeChild(_ key: TreeKey, _ server: CachedNode) -> TreeNode? {
        if let own = known.completeNode(at: [key]) { return own }
        guard server.isComplete(for: key) else { return nil }
        return at(key).applied(to: server.node[key])
    }

    /// The visible node at a path after an event of the server; nil if a write hides the event.
    func afterServer(at keys: TreeKeys, _ server: TreeNode) -> TreeNode? {
        guard known.completeNode(at: keys) == nil else { return nil }
        return at(keys).applied(to: server[keys])
    }

    /// The node after the writes, with its children in the same order.
    func applied(to node: OrderedNode) -> OrderedNode {
        if let own = known.completeNode(at: []) { return OrderedNode(own, node.order) }
        return inOrder.reduce(into: node) { node, part in
            guard let key = part.keys.first else { return }
            node.set(
                key, to: part.keys.count == 1 ? part.node : node.node[key].setting(part.keys.dropFirst(), to: part.node)
            )
        }
    }

    /// The node that results from applying the writes to a node of the server.
    func applied(to node: TreeNode) -> TreeNode {
        if let own = known.completeNode(at: []) { return own }
        return inOrder.reduce(node) { $0.setting($1.keys, to: $1.node) }
    }

    private var inOrder: [(keys: TreeKeys, node: TreeNode)] { LocalWrites.inOrder(parts) }

    private static func inOrder(_ parts: PathTree<[Part]>) -> [(keys: TreeKeys, node: TreeNode)] {
        var all: [(keys: [TreeKey], part: Part)] = []
        parts.forEach { keys, own in all += own.map { (keys, $0) } }
        return all.sorted { ($0.part.write, $0.part.index) < ($1.part.write, $1.part.index) }
            .map { ($0.keys[...], $0.part.node) }
    }
}
