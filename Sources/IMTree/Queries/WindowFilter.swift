/// Selects a query's children, and finds the changes when a child changes: the query's window slides over the children
/// in its order (SYNC-4).
struct WindowFilter: Sendable, Hashable {
    let order: TreeOrder
    private let range: ClosedRange<TreePosition>?
    private let limit: TreeQuery.Limit?

    init(_ query: TreeQuery) {
        order = query.order
        range = query.loadsAllData ? nil : query.range
        limit = query.limit
    }

    /// A filter that contains all children, in this order.
    private init(all order: TreeOrder) {
        self.order = order
        (range, limit) = (nil, nil)
    }

    var withoutLimits: WindowFilter { WindowFilter(all: order) }

    /// True if it leaves anything out.
    var leavesOut: Bool { range != nil }

    private func isInRange(_ child: OrderedNode.Child) -> Bool {
        range.map { $0.contains(order.position(of: child.key, child.node)) } ?? true
    }

    // MARK: The whole node

    /// The selected part of a node, and the changes that lead to it.
    func replacing(_ old: OrderedNode, with new: TreeNode, _ changes: inout ChildChanges) -> OrderedNode {
        let given = window(of: new)
        for (key, child) in old.node.children where !given.node.has(key) { changes.add(.removed(key, child)) }
        for (key, child) in given.node.children {
            let before = old.node[key]
            if before.isEmpty {
                changes.add(.added(key, child))
            } else if before != child {
                changes.add(.changed(key, child, from: before))
            }
        }
        return given
    }

    private func window(of node: TreeNode) -> OrderedNode {
        guard let range else { return OrderedNode(node, order) }
        // A query's result has neither a value nor a priority of its own.
        let all = OrderedNode(node, order)
        var given: [SortedMap<TreeKey, TreeNode>.Element] = []
        let isFromEnd = limit?.end == .last
        var next =
            isFromEnd ? all.child(atOrBefore: range.upperBound) : all.child(atOrAfter: range.lowerBound)
        while let child = next, range.contains(all.position(of: child)), given.count < limit?.count ?? .max {
            given.append((child.key, child.node))
            next = isFromEnd ? all.child(before: all.position(of: child)) : all.child(after: all.position(of: child))
        }
        return OrderedNode(TreeNode(SortedMap(ascending: given.sorted { $0.key < $1.key })), order)
    }

    func settingPriority(_ priority: TreeLeaf?, of node: OrderedNode) -> OrderedNode {
        guard !leavesOut else { return node }
        var node = node
        node.setPriority(priority)
        return node
    }

    // MARK: One child

    /// - Parameters:
    ///   - keys: the changed path below the child.
    ///   - source: supplies the child that enters the window when another leaves.
    ///   - whole: the resulting window, if it leaves nothing out and has already been computed.
    func set(
        _ key: TreeKey, to child: TreeNode, changedAt keys: TreeKeys, in window: inout OrderedNode,
        _ source: some ChildSource, _ changes: inout ChildChanges, whole: Whole? = nil
    ) {
        let child = isInRange((key, child)) ? child : .empty
        let before = window.node[key]
        // A child that appears or disappears is a change even if nothing below it differs.
        if before[keys] == child[keys], before.isEmpty == child.isEmpty { return }
        guard let limit, window.node.children.count >= limit.count else {
            return put(key, child, in: &window, &changes, leavesOut ? nil : whole)
        }
        slide(limit, (key, child), &window, source, &changes)
    }

    /// The result of the same change, computed elsewhere.
    enum Whole {
        /// In any order.
        case node(TreeNode)
        case ordered(OrderedNode)
    }

    private func put(
        _ key: TreeKey, _ child: TreeNode, in window: inout OrderedNode, _ changes: inout ChildChanges, _ whole: Whole?
    ) {
        let before = window.node[key]
        if child.isEmpty {
            guard !before.isEmpty else { return }
            changes.add(.removed(key, before))
        } else if before.isEmpty {
            changes.add(.added(key, child))
        } else {
            changes.add(.changed(key, child, from: before))
        }
        switch whole {
        case .ordered(let ordered)?: window = ordered
        case .node(let node)?: window.set(key, to: child, in: node)
        case nil: window.set(key, to: child)
        }
    }

    /// Handles a changed child when the window is full.
    private func slide(
        _ limit: TreeQuery.Limit, _ child: OrderedNode.Child, _ window: inout OrderedNode, _ source: some ChildSource,
        _ changes: inout ChildChanges
    ) {
        let isFromEnd = limit.end == .last
        guard let edge = isFromEnd ? window.first : window.last else { return }
        /// True if one is farther inside than another, or at the same position.
        func isInside(_ one: OrderedNode.Child, _ other: OrderedNode.Child) -> Bool {
            let (own, others) = (order.position(of: one.key, one.node), order.position(of: other.key, other.node))
            return isFromEnd ? own >= others : own <= others
        }
        let before = window.node[child.key]
        guard !before.isEmpty else {
            guard !child.node.isEmpty, isInRange(child), isInside(child, edge) else { return }
            changes.add(.removed(edge.key, edge.node))
            changes.add(.added(child.key, child.node))
            window.set(child.key, to: child.node)
            window.set(edge.key, to: .empty)
            return
        }
        var next = source.child(beyond: edge, isFromEnd: isFromEnd, order: order)
        // A child that changes in the same operation is handled by itself.
        while let candidate = next, candidate.key == child.key || window.node.has(candidate.key) {
            next = source.child(beyond: candidate, isFromEnd: isFromEnd, order: order)
        }
        if !child.node.isEmpty, isInRange(child), next.map({ isInside(child, $0) }) ?? true {
            changes.add(.changed(child.key, child.node, from: before))
            window.set(child.key, to: child.node)
            return
        }
        changes.add(.removed(child.key, before))
        window.set(child.key, to: .empty)
        if let next, isInRange(next) {
            changes.add(.added(next.key, next.node))
            window.set(next.key, to: next.node)
        }
    }
}

/// Supplies children that a window does not hold.
protocol ChildSource {
    /// A complete child; nil if it is not known.
    func completeChild(_ key: TreeKey) -> TreeNode?
    /// The nearest child beyond another one, away from the end from which the window counts; nil if none is known.
    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child?
}

/// A source that knows no other children.
struct NoSource: ChildSource {
    func completeChild(_ key: TreeKey) -> TreeNode? { nil }
    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child? { nil }
}

extension OrderedNode {
    func child(atOrAfter position: TreePosition) -> Child? { exact(position) ?? child(after: position) }
    func child(atOrBefore position: TreePosition) -> Child? { exact(position) ?? child(before: position) }

    private func exact(_ position: TreePosition) -> Child? {
        guard case .key(let key) = position.key else { return nil }
        let child = node[key]
        guard !child.isEmpty, self.position(of: (key, child)) == position else { return nil }
        return (key, child)
    }
}
