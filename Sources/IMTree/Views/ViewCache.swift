/// The known data of a view: from the server, and with the pending writes.
struct ViewCache: Sendable, Hashable, Codable {
    /// The data that listeners see.
    var events: CachedNode
    var server: CachedNode

    /// The server's complete node; nil if it is not known.
    var completeServerNode: TreeNode? { server.isComplete ? server.node : nil }
}

/// Finds children outside a window in the server's data and the pending writes.
struct CacheSource: ChildSource {
    let writes: LocalWrites
    let cache: ViewCache
    /// The server's complete node at the path, if another view has it.
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
        let position = all.position(of: child)
        return isFromEnd ? all.child(before: position) : all.child(after: position)
    }

    private func all(_ order: TreeOrder) -> OrderedNode? {
        if let own = writes.shadowing([]) { return OrderedNode(own, order) }
        // Its children are in order already.
        if cache.server.isComplete, !cache.server.isFiltered { return writes.applied(to: cache.server.ordered) }
        if let complete { return writes.applied(to: OrderedNode(complete, order)) }
        // Of a window's neighbours, only completely written ones are known.
        return cache.server.isComplete ? writes.completeChildren(over: cache.server.ordered) : nil
    }
}
