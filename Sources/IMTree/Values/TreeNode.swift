/// What stands at a place of the tree: nothing, a leaf, or children in the order of their keys; and its priority, which
/// nothing cannot have. A copy is free, and a node that comes of another shares with it what did not change.
public struct TreeNode: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case empty
        case leaf(TreeLeaf)
        /// At least one; none of them is empty.
        case children(SortedMap<TreeKey, TreeNode>)
    }

    public private(set) var content: Content = .empty
    public private(set) var priority: TreeLeaf?

    public static let empty = TreeNode()

    private init() {}

    /// A leaf.
    public init(_ leaf: TreeLeaf, priority: TreeLeaf? = nil) {
        content = .leaf(leaf)
        self.priority = priority
    }

    /// A node with children; those that are empty are left out.
    public init(_ children: SortedMap<TreeKey, TreeNode>, priority: TreeLeaf? = nil) {
        guard !children.isEmpty else { return }
        content = .children(children)
        self.priority = priority
    }

    public var isEmpty: Bool {
        if case .empty = content { return true }
        return false
    }

    /// The value, where there are no children.
    public var leaf: TreeLeaf? {
        guard case .leaf(let leaf) = content else { return nil }
        return leaf
    }

    public var isLeaf: Bool { leaf != nil }

    /// None where there is a leaf.
    public var children: SortedMap<TreeKey, TreeNode> {
        guard case .children(let children) = content else { return SortedMap() }
        return children
    }

    /// Whether it, or a node on the way down from it, has a priority.
    func hasPriority(on keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while true {
            if node.priority != nil { return true }
            guard let key = keys.popFirst(), !node.isEmpty else { return false }
            node = node[key]
        }
    }

    /// Whether there is a leaf where the keys lead through.
    func hasLeaf(above keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while let key = keys.popFirst(), !node.isEmpty {
            if node.isLeaf { return true }
            node = node[key]
        }
        return false
    }

    // MARK: Children

    /// A child; the priority, as a leaf, under its own name.
    public subscript(key: TreeKey) -> TreeNode {
        if key == .priority { return priority.map { TreeNode($0) } ?? .empty }
        return children[key] ?? .empty
    }

    public subscript(keys: TreeKeys) -> TreeNode { keys.reduce(self) { $0[$1] } }

    public func has(_ key: TreeKey) -> Bool { !self[key].isEmpty }

    /// With a child put in; an empty one is taken out. A leaf gives way to children and hands its priority on.
    public func setting(_ key: TreeKey, to child: TreeNode) -> TreeNode {
        if key == .priority { return with(priority: child.leaf) }
        // Nothing to take out; a leaf stays.
        if child.isEmpty, !has(key) { return self }
        var children = children
        if child.isEmpty { children.remove(key) } else { children.set(key, child) }
        return TreeNode(children, priority: priority)
    }

    /// With another node where the keys lead. Nothing on the way is made for an empty one.
    public func setting(_ keys: TreeKeys, to node: TreeNode) -> TreeNode {
        guard let key = keys.first else { return node }
        return setting(key, to: keys.count == 1 ? node : self[key].setting(keys.dropFirst(), to: node))
    }

    /// With that priority; nothing has none.
    public func with(priority: TreeLeaf?) -> TreeNode {
        guard !isEmpty else { return self }
        var node = self
        node.priority = priority
        return node
    }
}
