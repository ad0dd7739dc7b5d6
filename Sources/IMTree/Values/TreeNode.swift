/// What stands at a place of the tree: nothing, a leaf, or children in the order of their keys; and its priority, which
/// nothing cannot have. A copy is free, and a node that comes of another shares with it what did not change.
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

    /// A node with children; those that are empty are left out.
    public init(_ children: SortedMap<TreeKey, TreeNode>, priority: TreeLeaf? = nil) {
        guard !children.isEmpty else { return }
        storage = .children(children)
        self.priority = priority
    }

    /// A node whose children are read when they are looked at.
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

    /// The value, where there are no children.
    public var leaf: TreeLeaf? {
        guard case .leaf(let leaf) = storage else { return nil }
        return leaf
    }

    public var isLeaf: Bool { leaf != nil }

    /// None where there is a leaf.
    public var children: SortedMap<TreeKey, TreeNode> {
        switch storage {
        case .empty, .leaf: SortedMap()
        case .children(let children): children
        case .packed(let packed): packed.children
        }
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

    /// Whether its children are the same in memory, and there are any.
    func isIdentical(to other: TreeNode) -> Bool {
        switch (storage, other.storage) {
        case (.children(let own), .children(let others)): own.isIdentical(to: others) && priority == other.priority
        case (.packed(let own), .packed(let others)): own === others && priority == other.priority
        default: false
        }
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
