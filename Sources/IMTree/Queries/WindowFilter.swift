/// Selects the children of a query, and computes how the selection changes when a child changes. The selection is a
/// window on the ordered children: with a limit, another child enters when a child leaves (SYNC-4).
struct WindowFilter: Sendable, Hashable {
    let order: TreeOrder
    private let range: ClosedRange<TreePosition>?
    private let limit: TreeQuery.Limit?

    init(_ query: TreeQuery) {
        order = query.order
        range = query.loadsAllData ? nil : query.range
        limit = query.limit
    }

    var withoutLimits: WindowFilter { WindowFilter(TreeQuery(order: order)) }

    /// True if the query has limits, so that children may be left out.
    var leavesOut: Bool { range != nil }

    private func isInRange(_ child: OrderedNode.Child) -> Bool {
        range.map { $0.contains(order.position(of: child.key, child.node)) } ?? true
    }

    // MARK: The whole node

    /// The selected part of a new node. The differences from the old selection are added to `changes`.
    func replacing(_ old: OrderedNode, with new: TreeNode, _ changes: inout ChildChanges) -> OrderedNode {
        let selected = window(of: new)
        for (key, child) in old.node.children where !selected.node.has(key) { changes.add(.removed(key, child)) }
        for (key, child) in selected.node.children {
            let before = old.node[key]
            if before.isEmpty || before != child { changes.add(key, from: before, to: child) }
        }
        return selected
    }

    private func window(of node: TreeNode) -> OrderedNode {
        guard let range else { return OrderedNode(node, order) }
        // The result of a query with limits has no priority and no value of its own.
        let all = OrderedNode(node, order)
        var selected: [SortedMap<TreeKey, TreeNode>.Element] = []
        let isFromEnd = limit?.end == .last
        var next =
            isFromEnd ? all.child(atOrBefore: range.upperBound) : all.child(atOrAfter: range.lowerBound)
        while let child = next, range.contains(all.position(of: child)), selected.count < limit?.count ?? .max {
            selected.append((child.key, child.node))
            next = all.child(beyond: child, isFromEnd: isFromEnd)
        }
        return OrderedNode(TreeNode(SortedMap(ascending: selected.sorted { $0.key < $1.key })), order)
    }

    func settingPriority(_ priority: TreeLeaf?, of node: OrderedNode) -> OrderedNode {
        guard !leavesOut else { return node }
        var node = node
        node.setPriority(priority)
        return node
    }

    // MARK: One child

    /// Updates a window after a child has changed.
    ///
    /// - Parameters:
    ///   - keys: the changed path, relative to the child.
    ///   - source: supplies the child that enters the window when another child leaves it.
    ///   - whole: the window after the change, if the query has no limits and the result has already been computed.
    func set(
        _ key: TreeKey, to child: TreeNode, changedAt keys: TreeKeys, in window: inout OrderedNode,
        _ source: some ChildSource, _ changes: inout ChildChanges, whole: ComputedWindow? = nil
    ) {
        let child = isInRange((key, child)) ? child : .empty
        let before = window.node[key]
        // A child that is added or removed is a change, even if the node at the changed path is the same.
        if before[keys] == child[keys], before.isEmpty == child.isEmpty { return }
        guard let limit, window.node.children.count >= limit.count else {
            return put(key, child, in: &window, &changes, leavesOut ? nil : whole)
        }
        slide(limit, (key, child), &window, source, &changes)
    }

    /// The result of a change that another view has already computed.
    enum ComputedWindow {
        /// The node, without an order.
        case node(TreeNode)
        case ordered(OrderedNode)
    }

    private func put(
        _ key: TreeKey, _ child: TreeNode, in window: inout OrderedNode, _ changes: inout ChildChanges,
        _ whole: ComputedWindow?
    ) {
        let before = window.node[key]
        guard !before.isEmpty || !child.isEmpty else { return }
        changes.add(key, from: before, to: child)
        switch whole {
        case .ordered(let ordered)?: window = ordered
        case .node(let node)?: window.set(key, to: child, in: node)
        case nil: window.set(key, to: child)
        }
    }

    /// Updates a full window after a child has changed.
    private func slide(
        _ limit: TreeQuery.Limit, _ child: OrderedNode.Child, _ window: inout OrderedNode, _ source: some ChildSource,
        _ changes: inout ChildChanges
    ) {
        let isFromEnd = limit.end == .last
        guard let edge = isFromEnd ? window.first : window.last else { return }
        /// True if the first child comes before the other in the direction in which the window's limit counts children,
        /// or if both have the same position.
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
        // Children that change in the same operation are skipped, because each of them is handled separately.
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

/// A source of children that are not in a window.
protocol ChildSource {
    /// The complete node of a child; nil if it is not completely known.
    func completeChild(_ key: TreeKey) -> TreeNode?
    /// The next child after another one: in ascending order if the window's limit counts from the first child, in
    /// descending order if it counts from the last child. Nil if none is known.
    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child?
}

/// A source without children.
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
