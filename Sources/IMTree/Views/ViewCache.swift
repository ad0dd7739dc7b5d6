/// The known data of a view: the server's node, and the node with the pending writes.
struct ViewCache: Sendable, Hashable, Codable {
    /// The node that listeners have received: the server's node with the visible pending writes.
    var events: CachedNode
    var server: CachedNode

    /// The server's complete node; nil if it is not completely known. For a query with limits, its complete result.
    var completeServerNode: TreeNode? { server.isComplete ? server.node : nil }
}

/// A source that finds children outside a window, in the server's data and the pending writes.
struct CacheSource: ChildSource {
    let writes: LocalWrites
    let cache: ViewCache
    /// The server's complete node at the view's path, if another view has it.
    let complete: TreeNode?

    func completeChild(_ key: TreeKey) -> TreeNode? {
        if cache.events.isComplete(for: key) { return cache.events.node[key] }
        let server = complete.map {
            CachedNode(ordered: OrderedNode($0, .key), isComplete: true, isFiltered: false)
        }
        return writes.completeChild(key, server ?? cache.server)
    }

    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child? {
        guard let all = all(order) else { return nil }
        return all.child(beyond: child, isFromEnd: isFromEnd)
    }

    private func all(_ order: TreeOrder) -> OrderedNode? {
        if let own = writes.shadowing([]) { return OrderedNode(own, order) }
        // This node already has its children in the order of the query.
        if cache.server.isComplete, !cache.server.isFiltered { return writes.applied(to: cache.server.ordered) }
        if let complete { return writes.applied(to: OrderedNode(complete, order)) }
        // Of the children outside the window, only those that a write sets completely are known.
        return cache.server.isComplete ? writes.completeChildren(over: cache.server.ordered) : nil
    }
}
