/// The data that the listeners to one query of one path receive, and its changes (SYNC-4).
struct TreeView: Sendable, Hashable, Codable {
    let path: [TreeKey]
    let query: TreeQuery
    /// The number of the listen that requests this view's query from the server. Nil if the client has a listen at the
    /// path or above it whose query has no limits, because its events contain all data of this view.
    var listen: UInt64?
    private(set) var cache: ViewCache
    var listeners: [TreeListener] = []

    /// True if only the result of the query is known of the server's node.
    var isFiltered: Bool { cache.server.isFiltered }

    private var filter: WindowFilter { WindowFilter(query) }

    /// Creates a view with its initial data.
    ///
    /// - Parameters:
    ///   - server: the server's node at the path, as far as it is known.
    ///   - writes: the visible pending writes, relative to the path.
    init(
        _ query: TreeQuery, at path: [TreeKey], listen: UInt64?, server: StoredNode, _ writes: LocalWrites
    ) {
        (self.path, self.query, self.listen) = (path, query, listen)
        // If a query with limits left out a child, a write below that child does not make the child complete.
        let whole =
            server.isComplete && server.isFiltered
            ? writes.completeChildren(over: server.node) : writes.complete(over: server.isComplete ? server.node : nil)
        var ignored = ChildChanges()
        let filter = WindowFilter(query)
        let visible = filter.replacing(
            OrderedNode(.empty, query.order), with: whole ?? writes.completeChildren(over: server.node), &ignored)
        cache = ViewCache(
            events: CachedNode(ordered: visible, isComplete: whole != nil, isFiltered: filter.leavesOut),
            server: CachedNode(
                ordered: OrderedNode(server.node, query.order), isComplete: server.isComplete,
                isFiltered: server.isFiltered))
    }

    /// The server's complete node at a path below; nil if it is not completely known.
    func completeServerNode(at keys: TreeKeys) -> TreeNode? {
        guard let node = cache.completeServerNode else { return nil }
        // A query with limits has complete data only for the children in its result.
        guard query.loadsAllData || keys.first.map(node.has) == true else { return nil }
        return node[keys]
    }

    /// The server's complete node at this path; nil if it is not completely known, or if the query has limits.
    var wholeServerNode: TreeNode? { isFiltered ? nil : cache.completeServerNode }

    // MARK: Events

    /// Adds a listener, and returns its first events.
    mutating func begin(_ listener: TreeListener) -> [TreeEvent] {
        listeners.append(listener)
        var changes: [ChildChange] = []
        var child = cache.events.ordered.first
        while let here = child {
            changes.append(.added(here.key, here.node))
            child = cache.events.ordered.child(beyond: here, isFromEnd: false)
        }
        return events(of: changes, hasValue: cache.events.isComplete, for: listeners.count - 1..<listeners.count)
    }

    /// Applies an operation, and returns the events for the listeners.
    ///
    /// - Parameters:
    ///   - complete: the server's complete node at this path, if a view of a path above has it.
    ///   - sharedResult: the result of the operation in another view of the path; nil if there is none yet.
    mutating func apply(
        _ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?, _ sharedResult: SharedResult?
    ) -> [TreeEvent] {
        // A reference to the server's node here would prevent that the node changes in place.
        let old = cache.events
        var update = ViewUpdate(filter: filter, writes: writes, complete: complete, sharedResult: sharedResult)
        update.apply(operation, to: &cache)
        let changes = update.changes
        return events(of: changes.all, hasValue: hasNewValue(since: old, changes), for: listeners.indices)
    }

    private func hasNewValue(since old: CachedNode, _ changes: ChildChanges) -> Bool {
        guard cache.events.isComplete else { return false }
        if !changes.isEmpty || !old.isComplete { return true }
        let (node, before) = (cache.events.node, old.node)
        return (node.isLeaf || node.isEmpty) && node != before || node.priority != before.priority
    }

    /// Makes the events of changes, in the order of ``TreeEventKind/inOrder``.
    ///
    /// - Parameter receivers: the indices of the listeners that receive the events.
    private mutating func events(of changes: [ChildChange], hasValue: Bool, for receivers: Range<Int>) -> [TreeEvent] {
        var childEvents: [(kind: TreeEventKind, child: OrderedNode.Child)] = []
        for change in changes {
            switch change {
            case .added(let key, let node): childEvents.append((.childAdded, (key, node)))
            case .removed(let key, let node): childEvents.append((.childRemoved, (key, node)))
            case .changed(let key, let node, let old):
                if query.order.sortValue(of: node) != query.order.sortValue(of: old) {
                    childEvents.append((.childMoved, (key, node)))
                }
                childEvents.append((.childChanged, (key, node)))
            }
        }
        let node = cache.events.ordered
        var events: [TreeEvent] = []
        for kind in TreeEventKind.inOrder where kind != .value {
            var ofKind = childEvents.filter { $0.kind == kind }.map(\.child)
            if ofKind.count > 1 { ofKind.sort { node.position(of: $0) < node.position(of: $1) } }
            for child in ofKind {
                let previous = kind == .childRemoved ? nil : node.child(before: node.position(of: child))?.key
                for listener in listeners[receivers] where listener.kinds.contains(kind) {
                    events.append(
                        TreeEvent(
                            listener: listener.id, path: path, kind: kind, key: child.key, previousKey: previous,
                            node: child.node))
                }
            }
        }
        guard hasValue else { return events }
        for index in receivers where listeners[index].lastValue != node.node {
            listeners[index].lastValue = node.node
            guard listeners[index].kinds.contains(.value) else { continue }
            events.append(
                TreeEvent(
                    listener: listeners[index].id, path: path, kind: .value, key: nil, previousKey: nil,
                    node: node.node))
        }
        return events
    }
}
