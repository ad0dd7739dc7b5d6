/// The order of the children of a path. Children with equal sort values are in the order of their keys (SYNC-4).
public enum TreeOrder: Hashable, Sendable, Codable {
    case priority
    case key
    case value
    /// The order by the values at a path below each child.
    case child([TreeKey])

    /// The value by which a child is sorted. The key decides between equal values.
    func sortValue(of child: TreeNode) -> SortValue {
        switch self {
        case .priority: SortValue(child.priority)
        case .key: .nothing
        case .value: SortValue(child)
        case .child(let keys): SortValue(child[keys[...]])
        }
    }

    func position(of key: TreeKey, _ child: TreeNode) -> TreePosition {
        TreePosition(value: sortValue(of: child), key: .key(key))
    }
}

extension TreeNode {
    /// The children in an order that a query can have.
    public func children(in order: TreeOrder) -> [(key: TreeKey, node: TreeNode)] {
        children.map { (key: $0.key, node: $0.value) }
            .sorted { order.position(of: $0.key, $0.node) < order.position(of: $1.key, $1.node) }
    }
}

/// A position in the order of children: that of a child, or one before or after children.
public struct TreePosition: Hashable, Sendable {
    public var value: SortValue
    public var key: Key

    public enum Key: Hashable, Sendable, Comparable {
        case lowest
        case key(TreeKey)
        case highest
    }

    static let first = TreePosition(value: .lowest, key: .lowest)
    static let last = TreePosition(value: .highest, key: .highest)
}

extension TreePosition: SortedMapKey {
    public static func < (one: TreePosition, other: TreePosition) -> Bool { one.compared(to: other) < 0 }

    public func compared(to other: TreePosition) -> Int {
        let order = value.compared(to: other.value)
        if order != 0 { return order }
        if case .key(let own) = key, case .key(let others) = other.key { return own.compared(to: others) }
        return key.rank - other.key.rank
    }
}

extension TreePosition.Key {
    fileprivate var rank: Int {
        switch self {
        case .lowest: 0
        case .key: 1
        case .highest: 2
        }
    }
}
