/// Applies one operation to a view: first to the known state of the server, then to what listeners see.
struct ViewUpdate {
    let filter: WindowFilter
    let writes: LocalWrites
    /// The server's complete node at the view's path, if a view above has it.
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
            // The server's node was complete. From now on only the query's part of it is updated.
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

    /// A child after a write to it or below it; empty if too little of it is known.
    private func child(_ key: TreeKey, written node: TreeNode, at keys: TreeKeys, _ cache: ViewCache) -> TreeNode {
        guard let last = keys.last else { return node }
        guard let known = source(cache).completeChild(key) else { return .empty }
        // A priority of an empty node: if the server has a node there, its events will show it.
        if last == .priority, known[keys.dropLast()].isEmpty { return known }
        return known.setting(keys, to: node)
    }

    private mutating func merged(_ parts: PathTree<TreeNode>, at keys: TreeKeys, _ cache: ViewCache) -> ViewCache {
        var all = parts.parts.map { (keys: keys + $0.keys, node: $0.node) }
        if filter.leavesOut {
            // Parts in the window come first, so that there is room for the rest.
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
                // It was complete until now.
                let old = cache.server.ordered
                cache.server.ordered = filter.replacing(old, with: old.node.setting(keys, to: node), &ignored)
            } else if !cache.server.isComplete(at: keys), keys.count > 1 {
                // It is for another listener: an incomplete node does not become complete by it.
                return
            } else if key == .priority {
                cache.server.ordered = filter.settingPriority(node.leaf, of: cache.server.ordered)
            } else {
                let made = sharedResult?.node(after: cache.server)
                let child = made?[key] ?? cache.server.node[key].setting(rest, to: node)
                filter.set(
                    key, to: child, changedAt: rest, in: &cache.server.ordered, NoSource(), &ignored,
                    whole: made.map { .node($0) })
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
        // It was for an earlier listen at this path. The whole node is about to arrive.
        if cache.server.node.isEmpty, !cache.server.isComplete { return }
        var all = parts
        if !keys.isEmpty {
            all = PathTree()
            all.set(keys, parts)
        }
        // An update of the path itself contains all of it.
        if let value = all.value { return receive(value, at: [], &cache, isFiltered: isFiltered) }
        let before = cache.server
        // A part of an unknown child is not enough to make the child.
        let children = all.children
            .filter { before.node.has($0.key) || before.isComplete(for: $0.key) || $0.value.value != nil }
            .map { TreeWrite.Part([$0.key], $0.value.laid(over: before.node[$0.key])) }
        // Parts in the window come first, so that there is room for the rest.
        func isPresent(_ part: TreeWrite.Part) -> Bool { before.node.has(part.keys[0]) }
        let inOrder =
            filter.leavesOut ? children.filter(isPresent) + children.filter { !isPresent($0) } : children.inOrder
        for part in inOrder { receive(part.node, at: part.keys[...], &cache, isFiltered: isFiltered) }
    }

    /// Updates what listeners see after the server's node at a path has changed.
    ///
    /// - Parameter wasSeen: true if listeners saw exactly the server's node before.
    private mutating func updateEvents(
        at keys: TreeKeys, _ cache: inout ViewCache, _ source: some ChildSource, matchedServer: Bool = false
    ) {
        if cache.events.node.hasLeaf(above: keys) { return cache = replaceLeafEvents(at: keys, cache, source) }
        guard writes.shadowing(keys) == nil else { return }
        if let key = keys.first {
            updateChildEvents(key, at: keys, &cache, source, matchedServer: matchedServer && writes.isEmpty)
        } else if let server = cache.completeServerNode {
            // In a window, a write far below does not make a child complete if the server's part is left out.
            let node =
                cache.server.isFiltered
                ? writes.completeChildren(over: server) : writes.complete(over: server) ?? server
            cache.events.ordered = filter.replacing(cache.events.ordered, with: node, &changes)
        }
        cache.events.isComplete = cache.events.isComplete || keys.isEmpty
        cache.events.isFiltered = filter.leavesOut
        cache = withPriority(cache)
    }

    /// Computes the events after a change at a path if listeners see a leaf on the path. The server has put children in
    /// the place of the leaf, or a write removes what the server sent.
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

    /// Computes the priority of the path itself again. It goes when the last child goes.
    private func withPriority(_ cache: ViewCache) -> ViewCache {
        let (server, events) = (cache.server, cache.events.node)
        let hasNone = server.node.priority == nil && events.priority == nil && !writes.hasPriority(on: [])
        guard !filter.leavesOut, !hasNone, let whole = writes.complete(over: server.isComplete ? server.node : nil)
        else { return cache }
        var new = cache
        new.events.ordered = filter.settingPriority(whole.priority, of: cache.events.ordered)
        return new
    }

    /// - Parameter wasSeen: as for ``updateEvents(at:_:_:matchedServer:)``, and no write covers it, so that listeners see exactly the
    ///   server's node.
    private mutating func updateChildEvents(
        _ key: TreeKey, at keys: TreeKeys, _ cache: inout ViewCache, _ source: some ChildSource, matchedServer: Bool
    ) {
        guard key != .priority else { return }
        let old = cache.events
        let rest = keys.dropFirst()
        let child: TreeNode?
        let (seen, server) = (old.node[key], cache.server.node[key])
        // A priority on the path goes with the last child, and may have returned since then.
        let isPlain =
            !seen.hasPriority(on: rest) && !server.hasPriority(on: rest) && !writes.at(key).hasPriority(on: rest)
        if cache.server.isFiltered, !cache.server.node.has(key) {
            // It has left the window, and a written part of it does not make a complete child.
            child = writes.completeChild(key, cache.server) ?? .empty
        } else if matchedServer {
            child = server
        } else if old.isComplete(for: key), isPlain || writes.completeChild(key, cache.server) == nil {
            let news = writes.afterServer(at: keys, cache.server.node)
            child = news.map { seen.setting(rest, to: $0) } ?? seen
        } else {
            child = writes.completeChild(key, cache.server)
        }
        guard let child else { return }
        filter.set(
            key, to: child, changedAt: isPlain ? rest : [], in: &cache.events.ordered, source, &changes,
            whole: matchedServer ? .ordered(cache.server.ordered) : nil)
    }

    private mutating func listened(at keys: TreeKeys, _ cache: inout ViewCache) {
        cache.server.isComplete = cache.server.isComplete || keys.isEmpty
        updateEvents(at: keys, &cache, NoSource())
    }

    // MARK: Writes that are no longer pending

    /// Applies the server's known node again, because the write no longer covers it.
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

    /// A child outside the window stays known only while writes cover all of it.
    private mutating func forget(_ key: TreeKey, _ cache: inout ViewCache) {
        filter.set(
            key, to: writes.completeChild(key, cache.server) ?? .empty, changedAt: [], in: &cache.events.ordered,
            source(cache), &changes)
    }

    /// Computes what listeners see again, from the server's node and the remaining writes.
    private mutating func reverted(at keys: TreeKeys, _ cache: ViewCache) -> ViewCache {
        let (old, server) = (cache.events.ordered, cache.server)
        var ordered = old
        if let key = keys.first, key != .priority {
            let rest = keys.dropFirst()
            let known = writes.completeChild(key, server) ?? (server.isComplete(for: key) ? old.node[key] : nil)
            if known != nil || old.node.has(key) {
                filter.set(key, to: known ?? .empty, changedAt: rest, in: &ordered, source(cache), &changes)
            }
            // There may have been a leaf below the written node.
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

/// The server's node at a path, before and after the current operation, in another view of the path.
struct SharedResult {
    let before: TreeNode
    let after: TreeNode

    /// Nil if a view had another node before. From the same node, the operation makes the same node.
    func node(after server: CachedNode) -> TreeNode? {
        server.isComplete && !server.isFiltered && server.node.isIdentical(to: before) ? after : nil
    }
}

extension PathTree<TreeNode> {
    /// The parts, in an order in which they can be set one after the other.
    var parts: [TreeWrite.Part] {
        var parts: [TreeWrite.Part] = []
        forEach { parts.append(TreeWrite.Part($0, $1)) }
        return parts.inOrder
    }

    /// A node with the values set at their paths.
    func laid(over node: TreeNode) -> TreeNode { parts.reduce(node) { $0.setting($1.keys[...], to: $1.node) } }
}
