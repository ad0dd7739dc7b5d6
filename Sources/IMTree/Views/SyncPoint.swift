/// The views of one place, one for each query that somebody listens to there.
struct SyncPoint: Sendable, Hashable, Codable {
    /// In the order in which they began.
    private(set) var views: [TreeView] = []
    /// The number of the listen for everything, where one above does not serve.
    var listen: UInt64?

    var isEmpty: Bool { views.isEmpty }

    /// The view of everything that stands here, in whichever order: from it the others can be told as well.
    var completeView: TreeView? { views.first { $0.query.loadsAllData } }

    func view(of query: TreeQuery) -> TreeView? { views.first { $0.query == query } }

    /// All that the server has at a place below; nil where no view knows that.
    func completeServerNode(at keys: TreeKeys) -> TreeNode? {
        views.lazy.compactMap { $0.completeServerNode(at: keys) }.first
    }

    // MARK: Listeners

    /// - Parameter makeView: the view of the query, where this is its first listener.
    /// - Returns: what the listener is told at once.
    mutating func add(_ listener: TreeListener, to query: TreeQuery, _ makeView: () -> TreeView) -> [TreeEvent] {
        if let index = views.firstIndex(where: { $0.query == query }) {
            return views[index].begin(listener)
        }
        views.append(makeView())
        return views[views.count - 1].begin(listener)
    }

    /// Takes a listener away, or every one of a query; of the query for everything also those of all the others.
    ///
    /// - Returns: who is gone, and the views that are no longer needed.
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

    /// Gives the queries that leave something out listens of their own, or none.
    mutating func changeListens(_ number: (UInt64?, TreeQuery) -> UInt64?) {
        for index in views.indices where !views[index].query.loadsAllData {
            views[index].listen = number(views[index].listen, views[index].query)
        }
    }

    // MARK: Operations

    /// - Parameters:
    ///   - writes: the pending ones, seen from here.
    ///   - complete: all that the server has here, where a view above knows it.
    mutating func apply(_ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?) -> [TreeEvent] {
        var events: [TreeEvent] = []
        var twin: ServerTwin?
        for index in views.indices {
            if case .query(let query) = operation.source, views[index].query != query { continue }
            // What one view of all has made of it the others need not make again.
            let before = operation.source == .server && twin == nil ? views[index].wholeServerNode : nil
            events += views[index].apply(operation, writes, complete, twin)
            if let before, let after = views[index].wholeServerNode { twin = ServerTwin(before: before, after: after) }
        }
        return events
    }
}
