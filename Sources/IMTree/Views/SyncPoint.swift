/// The views of one path: one for each query that has listeners.
struct SyncPoint: Sendable, Hashable, Codable {
    /// The views, in the order of their creation.
    private(set) var views: [TreeView] = []
    /// The number of the listen without limits at this path; nil if there is none, or if one above serves this path.
    var listen: UInt64?

    var isEmpty: Bool { views.isEmpty }

    /// A view of the complete node, with any order; nil if there is none. All other views can be derived from it.
    var completeView: TreeView? { views.first { $0.query.loadsAllData } }

    func view(of query: TreeQuery) -> TreeView? { views.first { $0.query == query } }

    /// The server's complete node at a path below; nil if no view has the complete node.
    func completeServerNode(at keys: TreeKeys) -> TreeNode? {
        views.lazy.compactMap { $0.completeServerNode(at: keys) }.first
    }

    // MARK: Listeners

    /// Adds a listener to a query.
    ///
    /// - Parameter makeView: creates the view of the query, for its first listener.
    /// - Returns: the listener's first events.
    mutating func add(_ listener: TreeListener, to query: TreeQuery, _ makeView: () -> TreeView) -> [TreeEvent] {
        if let index = views.firstIndex(where: { $0.query == query }) {
            return views[index].begin(listener)
        }
        views.append(makeView())
        return views[views.count - 1].begin(listener)
    }

    /// Removes a listener from a query; all listeners if `listener` is nil. If the query is ``TreeQuery/all``, the
    /// listener is removed from all queries of the path.
    ///
    /// - Returns: the removed listeners, and the views that were removed because they have no more listeners.
    mutating func remove(_ listener: TreeListenerID?, from query: TreeQuery) -> (
        listeners: [TreeListenerID], views: [TreeView]
    ) {
        var removed: (listeners: [TreeListenerID], views: [TreeView]) = ([], [])
        for index in views.indices where query.isDefault || views[index].query == query {
            let ids = views[index].listeners.map(\.id).filter { listener == nil || $0 == listener }
            views[index].listeners.removeAll { ids.contains($0.id) }
            removed.listeners += ids
        }
        removed.views = views.filter(\.listeners.isEmpty)
        views.removeAll(where: \.listeners.isEmpty)
        return removed
    }

    /// Replaces the listen number of each query with limits by the result of `number`, which starts or ends the listen.
    mutating func changeListens(_ number: (UInt64?, TreeQuery) -> UInt64?) {
        for index in views.indices where !views[index].query.loadsAllData {
            views[index].listen = number(views[index].listen, views[index].query)
        }
    }

    // MARK: Operations

    /// Applies an operation to the views, and returns the events for their listeners.
    ///
    /// - Parameters:
    ///   - writes: the visible pending writes, relative to this path.
    ///   - complete: the server's complete node at this path, if a view of a path above has it.
    mutating func apply(_ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?) -> [TreeEvent] {
        var events: [TreeEvent] = []
        var sharedResult: SharedResult?
        for index in views.indices {
            if case .query(let query) = operation.source, views[index].query != query { continue }
            // The result in the first view of the complete node is reused for the others, because they compute the
            // same.
            let before = operation.source == .server && sharedResult == nil ? views[index].wholeServerNode : nil
            events += views[index].apply(operation, writes, complete, sharedResult)
            if let before, let after = views[index].wholeServerNode {
                sharedResult = SharedResult(before: before, after: after)
            }
        }
        return events
    }
}
