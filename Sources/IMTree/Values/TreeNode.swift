/// A node of the tree: empty, a leaf, or children in the order of their keys. A node that is not empty can have a
/// priority. A copy is free, and a node made from another one shares its unchanged parts.
public struct TreeNode: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case empty
        case leaf(TreeLeaf)
        /// At least one; none of them is empty.
        case children(SortedMap<TreeKey, TreeNode>)
    }

    private enum Storage: Sendable {
        case empty
        case leaf(TreeLeaf)
        case children(SortedMap<TreeKey, TreeNode>)
        case packed(PackedChildren)
    }

    private var storage = Storage.empty
    public private(set) var priority: TreeLeaf?

    public var content: Content {
        switch storage {
        case .empty: .empty
        case .leaf(let leaf): .leaf(leaf)
        case .children(let children): .children(children)
        case .packed(let packed): .children(packed.children)
        }
    }

    public static let empty = TreeNode()

    private init() {}

    /// A leaf.
    public init(_ leaf: TreeLeaf, priority: TreeLeaf? = nil) {
        storage = .leaf(leaf)
        self.priority = priority
    }

    /// A node with children; empty ones are left out.
    public init(_ children: SortedMap<TreeKey, TreeNode>, priority: TreeLeaf? = nil) {
        guard !children.isEmpty else { return }
        storage = .children(children)
        self.priority = priority
    }

    /// A node whose children are decoded at the first access.
    init(_ children: PackedChildren, priority: TreeLeaf?) {
        storage = .packed(children)
        self.priority = priority
    }

    public static func == (one: TreeNode, other: TreeNode) -> Bool {
        guard one.priority == other.priority else { return false }
        if case .packed(let own) = one.storage, case .packed(let others) = other.storage, own === others {
            return true
        }
        return one.content == other.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(content)
        hasher.combine(priority)
    }

    public var isEmpty: Bool {
        if case .empty = storage { return true }
        return false
    }

    /// The value; nil if it has children or is empty.
    public var leaf: TreeLeaf? {
        guard case .leaf(let leaf) = storage else { return nil }
        return leaf
    }

    public var isLeaf: Bool { leaf != nil }

    /// Empty for a leaf.
    public var children: SortedMap<TreeKey, TreeNode> {
        switch storage {
        case .empty, .leaf: SortedMap()
        case .children(let children): children
        case .packed(let packed): packed.children
        }
    }

    /// True if it, or a node on the path below it, has a priority.
    func hasPriority(on keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while true {
            if node.priority != nil { return true }
            guard let key = keys.popFirst(), !node.isEmpty else { return false }
            node = node[key]
        }
    }

    /// True if a leaf is on the path.
    func hasLeaf(above keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while let key = keys.popFirst(), !node.isEmpty {
            if node.isLeaf { return true }
            node = node[key]
        }
        return false
    }

    /// True if it has children, and they are the same in memory.
    func isIdentical(to other: TreeNode) -> Bool {
        switch (storage, other.storage) {
        case (.children(let own), .children(let others)): own.isIdentical(to: others) && priority == other.priority
        case (.packed(let own), .packed(let others)): own === others && priority == other.priority
        default: false
        }
    }

    // MARK: Children

    /// A child. The priority is a leaf under its own key.
    public subscript(key: TreeKey) -> TreeNode {
        if key == .priority { return priority.map { TreeNode($0) } ?? .empty }
        return children[key] ?? .empty
    }

    public subscript(keys: TreeKeys) -> TreeNode { keys.reduce(self) { $0[$1] } }

    public func has(_ key: TreeKey) -> Bool { !self[key].isEmpty }

    /// The node with a child set; an empty child is removed. Children replace a leaf and keep its priority.
    public func setting(_ key: TreeKey, to child: TreeNode) -> TreeNode {
        if key == .priority { return with(priority: child.leaf) }
        // There is nothing to remove; a leaf stays.
        if child.isEmpty, !has(key) { return self }
        var children = children
        if child.isEmpty { children.remove(key) } else { children.set(key, child) }
        return TreeNode(children, priority: priority)
    }

    /// The node with another one set at a path. An empty one creates no nodes on the path.
    public func setting(_ keys: TreeKeys, to node: TreeNode) -> TreeNode {
        guard let key = keys.first else { return node }
        return setting(key, to: keys.count == 1 ? node : self[key].setting(keys.dropFirst(), to: node))
    }

    /// The node with that priority; an empty node has none.
    public func with(priority: TreeLeaf?) -> TreeNode {
        guard !isEmpty else { return self }
        var node = self
        node.priority = priority
        return node
    }
}
