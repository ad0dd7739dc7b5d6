/// A node whose children can be visited in another order than that of their keys.
///
/// If no child has a sort value, as with the order by priority without priorities, the order is that of the keys, and
/// there is no index.
struct OrderedNode: Sendable, Hashable {
    private(set) var node: TreeNode
    let order: TreeOrder
    private var index: SortedMap<TreePosition, TreeNode>?

    typealias Child = (key: TreeKey, node: TreeNode)

    init(_ node: TreeNode = .empty, _ order: TreeOrder) {
        self.node = node
        self.order = order
        let isByKey = order == .key || node.children.allSatisfy { order.sortValue(of: $0.value) == .nothing }
        if !isByKey { index = OrderedNode.index(of: node, order) }
    }

    private static func index(of node: TreeNode, _ order: TreeOrder) -> SortedMap<TreePosition, TreeNode> {
        let positions = node.children.map { (key: order.position(of: $0.key, $0.value), value: $0.value) }
        return SortedMap(ascending: positions.sorted { $0.key < $1.key })
    }

    /// Equal if the nodes are equal.
    static func == (one: OrderedNode, other: OrderedNode) -> Bool { one.order == other.order && one.node == other.node }

    func hash(into hasher: inout Hasher) {
        hasher.combine(order)
        hasher.combine(node)
    }

    /// True if it is the same in memory, so that the same change has the same result for both.
    func isIdentical(to other: OrderedNode) -> Bool { order == other.order && node.isIdentical(to: other.node) }

    // MARK: Changes

    /// - Parameter whole: the node with that child, if it has already been made.
    mutating func set(_ key: TreeKey, to child: TreeNode, in whole: TreeNode? = nil) {
        let old = node[key]
        let hadChildren = !node.isLeaf
        node = whole ?? node.setting(key, to: child)
        guard key != .priority, order != .key else { return }
        guard hadChildren else { return self = OrderedNode(node, order) }
        if index == nil {
            guard order.sortValue(of: child) != .nothing else { return }
            return index = OrderedNode.index(of: node, order)
        }
        if !old.isEmpty { index?.remove(order.position(of: key, old)) }
        if !child.isEmpty { index?.set(order.position(of: key, child), child) }
    }

    mutating func setPriority(_ priority: TreeLeaf?) { node = node.with(priority: priority) }

    // MARK: In order

    func position(of child: Child) -> TreePosition { order.position(of: child.key, child.node) }

    var first: Child? { index.map { OrderedNode.child($0.first) } ?? node.children.first.map { ($0.key, $0.value) } }
    var last: Child? { index.map { OrderedNode.child($0.last) } ?? node.children.last.map { ($0.key, $0.value) } }

    /// The nearest child after a position.
    func child(after position: TreePosition) -> Child? {
        if let index { return OrderedNode.child(index.first(after: position)) }
        return keyed(position, before: node.children.first, behind: nil) { node.children.first(after: $0) }
    }

    /// The nearest child before a position.
    func child(before position: TreePosition) -> Child? {
        if let index { return OrderedNode.child(index.last(before: position)) }
        return keyed(position, before: nil, behind: node.children.last) { node.children.last(before: $0) }
    }

    /// The nearest child before a position in the order of keys.
    ///
    /// - Parameters:
    ///   - before: the result for a position before every child.
    ///   - behind: the result for a position after every child.
    private func keyed(
        _ position: TreePosition, before: SortedMap<TreeKey, TreeNode>.Element?,
        behind: SortedMap<TreeKey, TreeNode>.Element?,
        _ find: (TreeKey) -> SortedMap<TreeKey, TreeNode>.Element?
    ) -> Child? {
        let found =
            switch (position.value, position.key) {
            case (.lowest, _), (.nothing, .lowest): before
            case (.nothing, .key(let key)): find(key)
            default: behind
            }
        return found.map { ($0.key, $0.value) }
    }

    private static func child(_ element: SortedMap<TreePosition, TreeNode>.Element?) -> Child? {
        guard let element, case .key(let key) = element.key.key else { return nil }
        return (key, element.value)
    }
}
