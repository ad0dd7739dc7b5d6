/// A node of the tree. It is empty, a leaf, or has children in the order of their keys. A node that is not empty can
/// have a priority. Copying takes constant time, and a changed copy shares its unchanged parts with the original.
public struct TreeNode: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case empty
        case leaf(TreeLeaf)
        /// At least one child. No child is empty.
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

    /// Creates a leaf.
    public init(_ leaf: TreeLeaf, priority: TreeLeaf? = nil) {
        storage = .leaf(leaf)
        self.priority = priority
    }

    /// Creates a node with children, none of which is empty. Without children, the node is empty.
    public init(_ children: SortedMap<TreeKey, TreeNode>, priority: TreeLeaf? = nil) {
        guard !children.isEmpty else { return }
        storage = .children(children)
        self.priority = priority
    }

    /// Creates a node whose children are decoded at the first access.
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

    /// The value of a leaf; nil if the node is empty or has children.
    public var leaf: TreeLeaf? {
        guard case .leaf(let leaf) = storage else { return nil }
        return leaf
    }

    public var isLeaf: Bool { leaf != nil }

    /// The children; empty for a leaf and for an empty node.
    public var children: SortedMap<TreeKey, TreeNode> {
        switch storage {
        case .empty, .leaf: SortedMap()
        case .children(let children): children
        case .packed(let packed): packed.children
        }
    }

    /// True if this node or a node on a path below it has a priority.
    func hasPriority(on keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while true {
            if node.priority != nil { return true }
            guard let key = keys.popFirst(), !node.isEmpty else { return false }
            node = node[key]
        }
    }

    /// True if a node on the path, above its end, is a leaf.
    func hasLeaf(above keys: TreeKeys) -> Bool {
        var (node, keys) = (self, keys)
        while let key = keys.popFirst(), !node.isEmpty {
            if node.isLeaf { return true }
            node = node[key]
        }
        return false
    }

    /// True if both nodes have children and these are the same in memory.
    func isIdentical(to other: TreeNode) -> Bool {
        switch (storage, other.storage) {
        case (.children(let own), .children(let others)): own.isIdentical(to: others) && priority == other.priority
        case (.packed(let own), .packed(let others)): own === others && priority == other.priority
        default: false
        }
    }

    // MARK: Children

    /// The child with a key; empty if there is none. For ``TreeKey/priority``, the priority as a leaf.
    public subscript(key: TreeKey) -> TreeNode {
        if key == .priority { return priority.map { TreeNode($0) } ?? .empty }
        return children[key] ?? .empty
    }

    public subscript(keys: TreeKeys) -> TreeNode { keys.reduce(self) { $0[$1] } }

    public func has(_ key: TreeKey) -> Bool { !self[key].isEmpty }

    /// A copy of the node in which one child is replaced; an empty child is removed. If the node is a leaf, the child
    /// replaces its value, and the priority remains.
    public func setting(_ key: TreeKey, to child: TreeNode) -> TreeNode {
        if key == .priority { return with(priority: child.leaf) }
        // Removing a missing child changes nothing. In particular, a leaf keeps its value.
        if child.isEmpty, !has(key) { return self }
        var children = children
        if child.isEmpty { children.remove(key) } else { children.set(key, child) }
        return TreeNode(children, priority: priority)
    }

    /// A copy of the node in which the node at a path is replaced. An empty node creates no nodes on the path.
    public func setting(_ keys: TreeKeys, to node: TreeNode) -> TreeNode {
        guard let key = keys.first else { return node }
        return setting(key, to: keys.count == 1 ? node : self[key].setting(keys.dropFirst(), to: node))
    }

    /// A copy of the node with a priority. An empty node cannot have one.
    public func with(priority: TreeLeaf?) -> TreeNode {
        guard !isEmpty else { return self }
        var node = self
        node.priority = priority
        return node
    }
}
