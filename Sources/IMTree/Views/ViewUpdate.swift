/// Applies one operation to a view: first to the known node of the server, then to the node that listeners see.
struct ViewUpdate {
    let filter: WindowFilter
    let writes: LocalWrites
    /// The server's complete node at the view's path, if a view of a path above has it.
    let complete: TreeNode?
    let sharedResult: SharedResult?
    private(set) var changes = ChildChanges()

    mutating func apply(_ operation: TreeOperation, to cache: inout ViewCache) {
        let keys = operation.keys
        switch (operation.kind, operation.source) {
        case (.overwrite(let node), .user): cache = written(node, at: keys, cache)
        case (.overwrite(let node), let source):
            let isFiltered = source != .server || cache.server.isFiltered && !keys.isEmpty
            receive(node, at: keys, &cache, isFiltered: isFiltered, sharedResult)
        case (.merge(let parts), .user): cache = merged(parts, at: keys, cache)
        case (.merge(let parts), let source):
            receive(parts, at: keys, &cache, isFiltered: source != .server || cache.server.isFiltered)
        case (.acknowledge(_, isRevert: true), _): cache = reverted(at: keys, cache)
        case (.acknowledge(let paths, isRevert: false), _): acknowledge(paths, at: keys, &cache)
        case (.listenComplete, .query) where keys.isEmpty && cache.server.isComplete:
            // The complete node was known before the listen. From now on, the server updates only the query's result.
            receive(cache.server.node, at: keys, &cache, isFiltered: true)
        case (.listenComplete, _): listened(at: keys, &cache)
        }
    }

    private func source(_ cache: ViewCache) -> CacheSource {
        CacheSource(writes: writes, cache: cache, complete: complete)
    }

    // MARK: Own writes

    private mutating func written(_ node: TreeNode, at keys: TreeKeys, _ cache: ViewCache) -> ViewCache {
        var new = cache
        guard let key = keys.first else {
            let ordered = filter.replacing(cache.events.ordered, with: node, &changes)
            new.events = CachedNode(ordered: ordered, isComplete: true, isFiltered: filter.leavesOut)
            return new
        }
        guard key != .priority else {
            new.events.ordered = filter.settingPriority(node.leaf, of: cache.events.ordered)
            return new
        }
        let rest = keys.dropFirst()
        let child = child(key, written: node, at: rest, cache)
        filter.set(key, to: child, changedAt: rest, in: &new.events.ordered, source(cache), &changes)
        new.events.isFiltered = filter.leavesOut
        return new
    }

    /// A child after a write to the child or below it; empty if the child is not completely known.
    private func child(_ key: TreeKey, written node: TreeNode, at keys: TreeKeys, _ cache: ViewCache) -> TreeNode {
        guard let last = keys.last else { return node }
        guard let known = source(cache).completeChild(key) else { return .empty }
        // The write sets the priority of a node that is empty here. If the server has the node, it sends the priority.
        if last == .priority, known[keys.dropLast()].isEmpty { return known }
        return known.setting(keys, to: node)
    }

    private mutating func merged(_ parts: PathTree<TreeNode>, at keys: TreeKeys, _ cache: ViewCache) -> ViewCache {
        var all = parts.parts.map { (keys: keys + $0.keys, node: $0.node) }
        if filter.leavesOut {
            // Parts in the window are applied first, because a child that leaves the window makes room for another.
            func isInWindow(_ part: (keys: TreeKeys, node: TreeNode)) -> Bool {
                part.keys.first.map { cache.events.isComplete(for: $0) } ?? true
            }
            all = all.filter(isInWindow) + all.filter { !isInWindow($0) }
        }
        return all.reduce(cache) { written($1.node, at: $1.keys, $0) }
    }

    // MARK: The server's events

    private mutating func receive(
        _ node: TreeNode, at keys: TreeKeys, _ cache: inout ViewCache, isFiltered: Bool,
        _ sharedResult: SharedResult? = nil
    ) {
        let (wasFiltered, wasComplete) = (cache.server.isFiltered, cache.server.isComplete)
        let matchedServer = !self.filter.leavesOut && cache.events.ordered.isIdentical(to: cache.server.ordered)
        let filter = isFiltered ? filter : filter.withoutLimits
        var ignored = ChildChanges()
        if let key = keys.first {
            let rest = keys.dropFirst()
            if filter.leavesOut, !wasFiltered {
                // The complete node was known until now.
                let old = cache.server.ordered
                cache.server.ordered = filter.replacing(old, with: old.node.setting(keys, to: node), &ignored)
            } else if !cache.server.isComplete(at: keys), keys.count > 1 {
                // The event belongs to the listen of another view. Here the node is incomplete, and remains so.
                return
            } else if key == .priority {
                cache.server.ordered = filter.settingPriority(node.leaf, of: cache.server.ordered)
            } else {
                let result = sharedResult?.node(after: cache.server)
                let child = result?[key] ?? cache.server.node[key].setting(rest, to: node)
                filter.set(
                    key, to: child, changedAt: rest, in: &cache.server.ordered, NoSource(), &ignored,
                    whole: result.map { .node($0) })
            }
        } else {
            cache.server.ordered = filter.replacing(cache.server.ordered, with: node, &ignored)
        }
        cache.server.isComplete = wasComplete || keys.isEmpty
        cache.server.isFiltered = filter.leavesOut
        updateEvents(at: keys, &cache, source(cache), matchedServer: matchedServer)
    }

    private mutating func receive(
        _ parts: PathTree<TreeNode>, at keys: TreeKeys, _ cache: inout ViewCache, isFiltered: Bool
    ) {
        // Without a node from the server, the update belongs to an earlier listen at this path. It is ignored, because
        // the server sends the whole node for the current listen.
        if cache.server.node.isEmpty, !cache.server.isComplete { return }
        var all = parts
        if !keys.isEmpty {
            all = PathTree()
            all.set(keys, parts)
        }
        // If the update sets the path itself, it contains the whole node.
        if let value = all.value { return receive(value, at: [], &cache, isFiltered: isFiltered) }
        let before = cache.server
        // An event below an unknown child does not make the child complete.
        let children = all.children
            .filter { before.node.has($0.key) || before.isComplete(for: $0.key) || $0.value.value != nil }
            .map { TreeWrite.Part([$0.key], $0.value.applied(to: before.node[$0.key])) }
        // Parts in the window are applied first, because a child that leaves the window makes room for another.
        func isPresent(_ part: TreeWrite.Part) -> Bool { before.node.has(part.keys[0]) }
        let inOrder =
            filter.leavesOut ? children.filter(isPresent) + children.filter { !isPresent($0) } : children.inOrder
        for part in inOrder { receive(part.node, at: part.keys[...], &cache, isFiltered: isFiltered) }
    }

    /// Updates the node that listeners see, after the server's node at a path has changed.
    ///
    /// - Parameter matchedServer: true if listeners saw exactly the server's node before the change.
    private mutating func updateEvents(
        at keys: TreeKeys, _ cache: inout ViewCache, _ source: some ChildSource, matchedServer: Bool = false
    ) {
        if cache.events.node.hasLeaf(above: keys) { return cache = replaceLeafEvents(at: keys, cache, source) }
        guard writes.shadowing(keys) == nil else { return }
        if let key = keys.first {
            updateChildEvents(key, at: keys, &cache, source, matchedServer: matchedServer && writes.isEmpty)
        } else if let server = cache.completeServerNode {
            // If a query with limits left out a child, a write below that child does not make the child complete.
            let node =
                cache.server.isFiltered
                ? writes.completeChildren(over: server) : writes.complete(over: server) ?? server
            cache.events.ordered = filter.replacing(cache.events.ordered, with: node, &changes)
        }
        cache.events.isComplete = cache.events.isComplete || keys.isEmpty
        cache.events.isFiltered = filter.leavesOut
        cache = withPriority(cache)
    }

    /// Computes the node that listeners see, after a change below a path at which they see a leaf. Either the server
    /// has replaced the leaf by children, or a write hides the server's change.
    private mutating func replaceLeafEvents(at keys: TreeKeys, _ cache: ViewCache, _ source: some ChildSource)
        -> ViewCache
    {
        var new = cache
        let (old, server) = (cache.events.ordered, cache.server)
        if old.node.isLeaf {
            guard let whole = writes.complete(over: server.isComplete ? server.node : nil) else { return cache }
            new.events.ordered = filter.replacing(old, with: whole, &changes)
        } else if let key = keys.first, let child = writes.completeChild(key, server) {
            filter.set(key, to: child, changedAt: [], in: &new.events.ordered, source, &changes)
        }
        return new
    }

    /// Computes the priority of the view's path again: a node without children loses its priority.
    private func withPriority(_ cache: ViewCache) -> ViewCache {
        let (server, events) = (cache.server, cache.events.node)
        let hasNone = server.node.priority == nil && events.priority == nil && !writes.hasPriority(on: [])
        guard !filter.leavesOut, !hasNone, let whole = writes.complete(over: server.isComplete ? server.node : nil)
        else { return cache }
        var new = cache
        new.events.ordered = filter.settingPriority(whole.priority, of: cache.events.ordered)
        return new
    }

    /// Updates a child that listeners see, after a change of the server's node.
    ///
    /// - Parameter matchedServer: true if listeners saw exactly the server's node before, and no write applies.
    private mutating func updateChildEvents(
        _ key: TreeKey, at keys: TreeKeys, _ cache: inout ViewCache, _ source: some ChildSource, matchedServer: Bool
    ) {
        guard key != .priority else { return }
        let old = cache.events
        let rest = keys.dropFirst()
        let child: TreeNode?
        let (visible, server) = (old.node[key], cache.server.node[key])
        // A node on the path that loses its last child also loses its priority, and may get a new one later. So with
        // priorities, the child is computed as a whole.
        let hasNoPriority =
            !visible.hasPriority(on: rest) && !server.hasPriority(on: rest) && !writes.at(key).hasPriority(on: rest)
        if cache.server.isFiltered, !cache.server.node.has(key) {
            // The child has left the window. A write to a part of the child does not make it complete.
            child = writes.completeChild(key, cache.server) ?? .empty
        } else if matchedServer {
            child = server
        } else if old.isComplete(for: key), hasNoPriority || writes.completeChild(key, cache.server) == nil {
            let updated = writes.afterServer(at: keys, cache.server.node)
            child = updated.map { visible.setting(rest, to: $0) } ?? visible
        } else {
            child = writes.completeChild(key, cache.server)
        }
        guard let child else { return }
        filter.set(
            key, to: child, changedAt: hasNoPriority ? rest : [], in: &cache.events.ordered, source, &changes,
            whole: matchedServer ? .ordered(cache.server.ordered) : nil)
    }

    private mutating func listened(at keys: TreeKeys, _ cache: inout ViewCache) {
        cache.server.isComplete = cache.server.isComplete || keys.isEmpty
        updateEvents(at: keys, &cache, NoSource())
    }

    // MARK: Writes that are no longer pending

    /// Applies the known node of the server again, because the ended write no longer hides it.
    private mutating func acknowledge(_ paths: PathTree<Bool>, at keys: TreeKeys, _ cache: inout ViewCache) {
        guard writes.shadowing(keys) == nil else { return }
        let server = cache.server
        var parts = PathTree<TreeNode>()
        var unknown: [TreeKey] = []
        if paths.value != nil, keys.isEmpty {
            if server.isComplete { return receive(server.node, at: [], &cache, isFiltered: server.isFiltered) }
            for (key, child) in server.node.children { parts.set([key], PathTree(child)) }
        } else {
            paths.forEach { path, _ in
                let path = keys + path
                if server.isComplete(at: path) {
                    parts.set(path, PathTree(server.node[path]))
                } else if server.isFiltered, let key = path.first {
                    unknown.append(key)
                }
            }
        }
        receive(parts, at: [], &cache, isFiltered: server.isFiltered)
        for key in unknown { forget(key, &cache) }
    }

    /// Removes a child outside the window, unless pending writes set it completely.
    private mutating func forget(_ key: TreeKey, _ cache: inout ViewCache) {
        filter.set(
            key, to: writes.completeChild(key, cache.server) ?? .empty, changedAt: [], in: &cache.events.ordered,
            source(cache), &changes)
    }

    /// Computes the node that listeners see from the server's node and the remaining writes, after a rollback.
    private mutating func reverted(at keys: TreeKeys, _ cache: ViewCache) -> ViewCache {
        let (old, server) = (cache.events.ordered, cache.server)
        var ordered = old
        if let key = keys.first, key != .priority {
            let rest = keys.dropFirst()
            let known = writes.completeChild(key, server) ?? (server.isComplete(for: key) ? old.node[key] : nil)
            if known != nil || old.node.has(key) {
                filter.set(key, to: known ?? .empty, changedAt: rest, in: &ordered, source(cache), &changes)
            }
            // The write may have replaced a leaf at the view's path, which is visible again.
            if ordered.node.isEmpty, let whole = writes.complete(over: cache.completeServerNode), whole.isLeaf {
                ordered = filter.replacing(ordered, with: whole, &changes)
            }
        } else {
            let all = server.isComplete && !server.isFiltered ? server.node : nil
            let node = writes.complete(over: all) ?? writes.completeChildren(over: server.node)
            ordered = filter.replacing(old, with: node, &changes)
        }
        var new = cache
        new.events = CachedNode(
            ordered: ordered, isComplete: server.isComplete || writes.shadowing([]) != nil,
            isFiltered: filter.leavesOut)
        return withPriority(new)
    }
}

/// The server's node before and after the current operation, as computed in another view of the same path.
struct SharedResult {
    let before: TreeNode
    let after: TreeNode

    /// The node after the operation, for a view that had the same node before; nil if the view had another one.
    func node(after server: CachedNode) -> TreeNode? {
        server.isComplete && !server.isFiltered && server.node.isIdentical(to: before) ? after : nil
    }
}

extension PathTree<TreeNode> {
    /// The parts of the tree, in an order in which they can be applied one after the other.
    var parts: [TreeWrite.Part] {
        var parts: [TreeWrite.Part] = []
        forEach { parts.append(TreeWrite.Part($0, $1)) }
        return parts.inOrder
    }

    /// A copy of a node in which the tree's nodes are set at their paths.
    func applied(to node: TreeNode) -> TreeNode { parts.reduce(node) { $0.setting($1.keys[...], to: $1.node) } }
}
