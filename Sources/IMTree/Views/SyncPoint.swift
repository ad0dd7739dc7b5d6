/// The views of one path, one for each query with listeners.
struct SyncPoint: Sendable, Hashable, Codable {
    /// In the order of their creation.
    private(set) var views: [TreeView] = []
    /// The number of the listen for everything, unless one above serves this path.
    var listen: UInt64?

    var isEmpty: Bool { views.isEmpty }

    /// A view of the complete node, in any order. The other views can be derived from it.
    var completeView: TreeView? { views.first { $0.query.loadsAllData } }

    func view(of query: TreeQuery) -> TreeView? { views.first { $0.query == query } }

    /// The server's complete node at a path below; nil if no view has it.
    func completeServerNode(at keys: TreeKeys) -> TreeNode? {
        views.lazy.compactMap { $0.completeServerNode(at: keys) }.first
    }

    // MARK: Listeners

    /// - Parameter makeView: makes the view of the query for its first listener.
    /// - Returns: the first events of the listener.
    mutating func add(_ listener: TreeListener, to query: TreeQuery, _ makeView: () -> TreeView) -> [TreeEvent] {
        if let index = views.firstIndex(where: { $0.query == query }) {
            return views[index].begin(listener)
        }
        views.append(makeView())
        return views[views.count - 1].begin(listener)
    }

    /// Removes a listener, or all listeners of a query; for the query for everything, those of all queries.
    ///
    /// - Returns: the removed listeners, and the views that are no longer needed.
    mutating func remove(_ listener: TreeListenerID?, from query: TreeQuery) -> (
        listeners: [TreeListenerID], views: [TreeView]
    ) {
        var gone: (listeners: [TreeListenerID], views: [TreeView]) = ([], [])
        for index in views.indices where query.isDefault || views[index].query == query {
            let own = views[index].listeners.map(\.id).filter { listener == nil || $0 == listener }
            views[index].listeners.removeAll { own.contains($0.id) }
            gone.listeners += own
        }
        gone.views = views.filter(\.listeners.isEmpty)
        views.removeAll(where: \.listeners.isEmpty)
        return gone
    }

    /// Begins or ends the separate listens of queries with limits.
    mutating func changeListens(_ number: (UInt64?, TreeQuery) -> UInt64?) {
        for index in views.indices where !views[index].query.loadsAllData {
            views[index].listen = number(views[index].listen, views[index].query)
        }
    }

    // MARK: Operations

    /// - Parameters:
    ///   - writes: the pending ones, relative to this path.
    ///   - complete: the server's complete node here, if a view above has it.
    mutating func apply(_ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?) -> [TreeEvent] {
        var events: [TreeEvent] = []
        var sharedResult: SharedResult?
        for index in views.indices {
            if case .query(let query) = operation.source, views[index].query != query { continue }
            // Views of the complete node reuse the result of the first one.
            let before = operation.source == .server && sharedResult == nil ? views[index].wholeServerNode : nil
            events += views[index].apply(operation, writes, complete, sharedResult)
            if let before, let after = views[index].wholeServerNode {
                sharedResult = SharedResult(before: before, after: after)
            }
        }
        return events
    }
}
