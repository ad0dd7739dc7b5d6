/// A node with its children in the order of a query.
///
/// If no child has a sort value, the children are in the order of their keys, and no index is stored. This is the usual
/// case: the default order is by priority, and most nodes have no priorities.
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

    /// Two values are equal if their orders and nodes are equal. The index follows from both.
    static func == (one: OrderedNode, other: OrderedNode) -> Bool { one.order == other.order && one.node == other.node }

    func hash(into hasher: inout Hasher) {
        hasher.combine(order)
        hasher.combine(node)
    }

    /// True if both have the same order and the same node in memory, so that a change has the same result for both.
    func isIdentical(to other: OrderedNode) -> Bool { order == other.order && node.isIdentical(to: other.node) }

    // MARK: Changes

    /// - Parameter whole: the node after the change, if it has already been computed.
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

    /// The first child after a position, in the order of the query.
    func child(after position: TreePosition) -> Child? {
        if let index { return OrderedNode.child(index.first(after: position)) }
        return keyed(position, before: node.children.first, after: nil) { node.children.first(after: $0) }
    }

    /// The last child before a position, in the order of the query.
    func child(before position: TreePosition) -> Child? {
        if let index { return OrderedNode.child(index.last(before: position)) }
        return keyed(position, before: nil, after: node.children.last) { node.children.last(before: $0) }
    }

    /// The next child after another one, from the first to the last one or in the other direction.
    func child(beyond child: Child, isFromEnd: Bool) -> Child? {
        let position = position(of: child)
        return isFromEnd ? self.child(before: position) : self.child(after: position)
    }

    /// Finds a child by a position if the children are in the order of their keys.
    ///
    /// - Parameters:
    ///   - before: the result if the position is before all children.
    ///   - after: the result if the position is after all children.
    private func keyed(
        _ position: TreePosition, before: SortedMap<TreeKey, TreeNode>.Element?,
        after: SortedMap<TreeKey, TreeNode>.Element?,
        _ find: (TreeKey) -> SortedMap<TreeKey, TreeNode>.Element?
    ) -> Child? {
        let found =
            switch (position.value, position.key) {
            case (.lowest, _), (.nothing, .lowest): before
            case (.nothing, .key(let key)): find(key)
            default: after
            }
        return found.map { ($0.key, $0.value) }
    }

    private static func child(_ element: SortedMap<TreePosition, TreeNode>.Element?) -> Child? {
        guard let element, case .key(let key) = element.key.key else { return nil }
        return (key, element.value)
    }
}
