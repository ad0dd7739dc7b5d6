/// The client's copy of the tree: listeners, the known state of the server, and the writes that the server has not
/// acknowledged (SYNC-4, SYNC-10). A value: copying takes constant time, and methods return their actions as effects.
public struct SyncTree: Sendable, Hashable, Codable {
    var points = PathTree<SyncPoint>()
    var writes = PendingTreeWrites()
    /// The active listens at the server, by their numbers.
    var listens = SortedMap<UInt64, TreeListen>()
    private var lastListen: UInt64 = 0

    public init() {}

    /// An action that the client executes, in the order in which the actions are returned.
    public enum Effect: Sendable, Hashable {
        case tell(TreeEvent)
        /// The server has refused the listen of a listener, which receives no more events.
        case cancelled(TreeListenerID)
        case listen(TreeListen)
        case unlisten(TreeListen)
    }

    /// The writes that the server has not acknowledged, oldest first.
    public var pendingWrites: [TreeWrite] { writes.writes }

    /// The active listens at the server, oldest first: the smallest set of listens that serves all listeners.
    public var activeListens: [TreeListen] { listens.map(\.value) }

    func listen(_ number: UInt64) -> TreeListen? { listens[number] }

    mutating func beginListen(_ query: TreeQuery, at path: [TreeKey]) -> TreeListen {
        lastListen &+= 1
        let listen = TreeListen(number: lastListen, path: path, query: query)
        listens.set(lastListen, listen)
        return listen
    }

    // MARK: Own writes

    /// Applies a write locally.
    public mutating func write(_ write: TreeWrite) -> [Effect] {
        writes.add(write)
        guard write.isVisible else { return [] }
        return apply(TreeOperation(source: .user, keys: write.path[...], kind: write.kind))
    }

    /// Removes a write that the server has answered. If the server refused it (`isRevert`), the write is rolled back.
    public mutating func acknowledge(_ id: UInt64, isRevert: Bool) -> [Effect] {
        guard let (write, wasVisible) = writes.remove(id), wasVisible else { return [] }
        return apply(
            TreeOperation(
                source: .user, keys: write.path[...], kind: .acknowledge(write.writtenPaths, isRevert: isRevert)))
    }

    // MARK: The server's events

    /// Handles a new node of the server at a path.
    ///
    /// - Parameter listen: the number of the listen that the event belongs to. If the listen has ended, the event is
    ///   ignored. Nil for an event that belongs to all listens.
    public mutating func receive(_ node: TreeNode, at path: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        handle(.overwrite(node), at: path, listen)
    }

    /// Handles new nodes of the server at paths below a path.
    public mutating func receive(_ parts: [TreeWrite.Part], at path: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        handle(.merge(PathTree(parts)), at: path, listen)
    }

    /// Handles the answer to a listen: the server has sent all its data.
    ///
    /// - Parameter number: the number of the listen. If the listen has ended, nothing changes.
    public mutating func complete(_ number: UInt64) -> [Effect] {
        guard let listen = listens[number] else { return [] }
        if let node = nodeForWindows(under: listen) { return handle(.overwrite(node), at: listen.path, number) }
        return handle(.listenComplete, at: listen.path, number)
    }

    /// A listen without limits also serves the queries with limits below it: its events contain the children that enter
    /// their windows. If the client already had the complete node, no event has contained those children, so the
    /// complete node must be applied again.
    ///
    /// - Returns: the node to apply again; nil if no query with limits is below.
    private func nodeForWindows(under listen: TreeListen) -> TreeNode? {
        guard !listen.isFiltered, let node = serverNode(of: listen) else { return nil }
        var isNeeded = false
        points[listen.path[...]].forEach { _, point in
            isNeeded = isNeeded || point.views.contains(where: \.isFiltered)
        }
        return isNeeded ? node : nil
    }

    private mutating func handle(_ kind: TreeOperation.Kind, at path: [TreeKey], _ number: UInt64?) -> [Effect] {
        let forAllViews = TreeOperation(source: .server, keys: path[...], kind: kind)
        guard let number else { return apply(forAllViews) }
        guard let listen = listens[number], path.starts(with: listen.path) else { return [] }
        guard listen.isFiltered else { return apply(forAllViews) }
        let operation = TreeOperation(
            source: .query(listen.query), keys: path.dropFirst(listen.path.count), kind: kind)
        let own = writes.at(listen.path)
        return points.change(listen.path[...]) { point in
            point.value?.apply(operation, own, nil).map(Effect.tell) ?? []
        }
    }

    // MARK: The known state

    /// The server's complete node at a path; nil if it is not fully known.
    public func completeServerNode(at path: [TreeKey]) -> TreeNode? {
        points.first(on: path[...]) { $0.completeServerNode(at: $1) }
    }

    /// The hash of the server's node for a listen. If the server's node still has this hash, the server does not send
    /// it again. Nil if the client's node is incomplete.
    public func hash(of listen: TreeListen) -> TreeHash? { serverNode(of: listen)?.hash }

    /// The server's node for a listen; nil if it is not fully known.
    func serverNode(of listen: TreeListen) -> TreeNode? {
        let point = points[listen.path[...]].value
        let view =
            !listen.isFiltered ? point?.completeView : point?.views.first { $0.listen == listen.number }
        guard let view, let node = view.cache.completeServerNode else { return nil }
        return view.query.loadsAllData || view.cache.server.isFiltered ? node : node.given(by: view.query)
    }

    /// The active listens with limits that also receive an event of a listen without limits at their path or below it.
    /// Each is returned with the known node of the server.
    func windows(above serverEvent: TreeServerEvent) -> [(listen: TreeListen, node: TreeNode)] {
        guard let source = listens[serverEvent.listen], !source.isFiltered else { return [] }
        return activeListens.compactMap { listen in
            guard listen.isFiltered, source.path.starts(with: listen.path) else { return nil }
            return serverNode(of: listen).map { (listen, $0) }
        }
    }

    /// True if existing views have the initial data for a listener to a query, so that the device's data is not needed.
    func hasData(_ query: TreeQuery, at path: [TreeKey]) -> Bool {
        points[path[...]].value?.view(of: query) != nil || completeServerNode(at: path) != nil
    }

    /// The complete node at a path with all pending writes, visible or not; nil if it is not fully known.
    ///
    /// - Parameter excluded: the numbers of writes to leave out.
    public func completeNode(at path: [TreeKey], besides excluded: [UInt64] = []) -> TreeNode? {
        writes.everything(at: path, over: completeServerNode(at: path), besides: excluded)
    }

    /// The node that a new listener to a query would receive; nil if it is not fully known.
    public func known(_ query: TreeQuery, at path: [TreeKey]) -> TreeNode? {
        if let view = points[path[...]].value?.view(of: query), view.cache.events.isComplete {
            return view.cache.events.node
        }
        return visibleNode(at: path)?.given(by: query)
    }

    /// The node that the listeners to a query have received, complete or not; nil if the query has no listeners.
    public func shown(_ query: TreeQuery, at path: [TreeKey]) -> (node: TreeNode, isComplete: Bool)? {
        guard let shown = points[path[...]].value?.view(of: query)?.cache.events else { return nil }
        return (shown.node, shown.isComplete)
    }

    /// The complete node at a path with the visible pending writes; nil if it is not fully known.
    func visibleNode(at path: [TreeKey]) -> TreeNode? { laidOver(completeServerNode(at: path), at: path) }

    /// A node of the server with the visible pending writes at its path; nil if it is not fully known.
    public func laidOver(_ node: TreeNode?, at path: [TreeKey]) -> TreeNode? { writes.at(path).complete(over: node) }

    // MARK: Operations

    /// Applies an operation to all affected views, in which the views of lower paths come first.
    private mutating func apply(_ operation: TreeOperation) -> [Effect] {
        var events: [TreeEvent] = []
        points.apply(operation, writes.at([]), nil, &events)
        return events.map(Effect.tell)
    }
}

/// A client's subscription to a query of a path at the server. One listen can serve several listeners of the app.
public struct TreeListen: Sendable, Hashable, Codable {
    /// The number of the listen, which is unique for the client. It shows that an event belongs to a listen that has
    /// ended, so that the event is ignored.
    public var number: UInt64
    public var path: [TreeKey]
    /// The query. A query without limits has no order, because the server then sends all data.
    public var query: TreeQuery

    public init(number: UInt64, path: [TreeKey], query: TreeQuery) {
        (self.number, self.path, self.query) = (number, path, query)
    }

    /// True if the query has limits. Its events then apply to no other listen.
    public var isFiltered: Bool { !query.loadsAllData }
}

extension TreeWrite {
    fileprivate var kind: TreeOperation.Kind {
        switch change {
        case .set(let node): .overwrite(node)
        case .update(let parts): .merge(PathTree(parts))
        }
    }

    /// The paths that the write changes, relative to the path of the write.
    fileprivate var writtenPaths: PathTree<Bool> {
        switch change {
        case .set: return PathTree(true)
        case .update(let parts):
            var paths = PathTree<Bool>()
            for part in parts { paths.set(part.keys[...], PathTree(true)) }
            return paths
        }
    }
}

extension PathTree<TreeNode> {
    init(_ parts: [TreeWrite.Part]) {
        self.init()
        for part in parts { set(part.keys[...], PathTree(part.node)) }
    }
}

extension PathTree<SyncPoint> {
    /// - Parameter complete: the server's complete node at this path, if a view of a path above has it.
    fileprivate mutating func apply(
        _ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?, _ events: inout [TreeEvent]
    ) {
        let complete = complete ?? value?.completeServerNode(at: [])
        let affected = operation.keys.first.map { [$0] } ?? children.map(\.key)
        for key in affected {
            guard children[key] != nil, let part = operation.part(for: key) else { continue }
            change([key]) { $0.apply(part, writes.at(key), complete?[key], &events) }
        }
        events += value?.apply(operation, writes, complete) ?? []
    }
}
