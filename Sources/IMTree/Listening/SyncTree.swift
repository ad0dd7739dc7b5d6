/// The client's copy of the tree: listeners, the known state of the server, and the unacknowledged writes (SYNC-4,
/// SYNC-10). A value: a copy is free, and operations return all their actions as effects.
public struct SyncTree: Sendable, Hashable, Codable {
    var points = PathTree<SyncPoint>()
    var writes = PendingTreeWrites()
    /// The active listens at the server, by number.
    var listens = SortedMap<UInt64, TreeListen>()
    private var lastListen: UInt64 = 0

    public init() {}

    /// An action for the client, in order.
    public enum Effect: Sendable, Hashable {
        case tell(TreeEvent)
        /// The server has refused the listen, so that the listener receives no more events.
        case cancelled(TreeListenerID)
        case listen(TreeListen)
        case unlisten(TreeListen)
    }

    /// The writes that the server has not acknowledged, oldest first.
    public var pendingWrites: [TreeWrite] { writes.writes }

    /// The active listens at the server, oldest first: the minimum that serves every listener.
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

    /// The server has accepted a write, or refused it, so that it is rolled back.
    public mutating func acknowledge(_ id: UInt64, isRevert: Bool) -> [Effect] {
        guard let (write, wasVisible) = writes.remove(id), wasVisible else { return [] }
        return apply(
            TreeOperation(
                source: .user, keys: write.path[...], kind: .acknowledge(write.writtenPaths, isRevert: isRevert)))
    }

    // MARK: The server's events

    /// The server has another node at a path.
    ///
    /// - Parameter listen: the number of the listen that the event is for; an event for an ended listen is dropped. Nil
    ///   for an event that applies to all.
    public mutating func receive(_ node: TreeNode, at path: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        heard(.overwrite(node), at: path, listen)
    }

    /// The server has other nodes at paths below this one.
    public mutating func receive(_ parts: [TreeWrite.Part], at path: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        heard(.merge(PathTree(parts)), at: path, listen)
    }

    /// The server has sent everything for a listen.
    ///
    /// - Parameter number: the listen's; an ended listen is ignored.
    public mutating func complete(_ number: UInt64) -> [Effect] {
        guard let listen = listens[number] else { return [] }
        if let node = nodeForWindows(under: listen) { return heard(.overwrite(node), at: listen.path, number) }
        return heard(.listenComplete, at: listen.path, number)
    }

    /// A listen for everything also serves the windows below it: they receive children that they do not hold from its
    /// events. If the node was already complete, no event has contained these children.
    ///
    /// - Returns: the node to apply for the windows; nil if there are none.
    private func nodeForWindows(under listen: TreeListen) -> TreeNode? {
        guard !listen.isFiltered, let node = serverNode(of: listen) else { return nil }
        var isNeeded = false
        points[listen.path[...]].forEach { _, point in
            isNeeded = isNeeded || point.views.contains(where: \.isFiltered)
        }
        return isNeeded ? node : nil
    }

    private mutating func heard(_ kind: TreeOperation.Kind, at path: [TreeKey], _ number: UInt64?) -> [Effect] {
        let everybody = TreeOperation(source: .server, keys: path[...], kind: kind)
        guard let number else { return apply(everybody) }
        guard let listen = listens[number], path.starts(with: listen.path) else { return [] }
        guard listen.isFiltered else { return apply(everybody) }
        let operation = TreeOperation(
            source: .query(listen.query), keys: path.dropFirst(listen.path.count), kind: kind)
        let own = writes.at(listen.path)
        return points.change(listen.path[...]) { point in
            point.value?.apply(operation, own, nil).map(Effect.tell) ?? []
        }
    }

    // MARK: The known state

    /// The server's complete node at a path; nil if it is not known.
    public func completeServerNode(at path: [TreeKey]) -> TreeNode? {
        var (tree, keys) = (points, path[...])
        while true {
            if let node = tree.value?.completeServerNode(at: keys) { return node }
            guard let key = keys.popFirst(), let below = tree.children[key] else { return nil }
            tree = below
        }
    }

    /// The hash of the server's node for a listen, so that the server need not send it again; nil if the node is not
    /// complete.
    public func hash(of listen: TreeListen) -> TreeHash? { serverNode(of: listen)?.hash }

    /// The server's known node for a listen; nil if it is not complete.
    func serverNode(of listen: TreeListen) -> TreeNode? {
        let point = points[listen.path[...]].value
        let view =
            !listen.isFiltered ? point?.completeView : point?.views.first { $0.listen == listen.number }
        guard let view, let node = view.cache.completeServerNode else { return nil }
        return view.query.loadsAllData || view.cache.server.isFiltered ? node : node.given(by: view.query)
    }

    /// The windows that also receive an event for a listen below them, with the server's known node of each.
    func windows(above serverEvent: TreeServerEvent) -> [(listen: TreeListen, node: TreeNode)] {
        guard let heard = listens[serverEvent.listen], !heard.isFiltered else { return [] }
        return activeListens.compactMap { listen in
            guard listen.isFiltered, heard.path.starts(with: listen.path) else { return nil }
            return serverNode(of: listen).map { (listen, $0) }
        }
    }

    /// True if other views have the data that a listener to a query begins with, so that the device is not needed.
    func hasData(_ query: TreeQuery, at path: [TreeKey]) -> Bool {
        points[path[...]].value?.view(of: query) != nil || completeServerNode(at: path) != nil
    }

    /// The complete node at a path with every pending write, including hidden ones; nil if it is not known.
    ///
    /// - Parameter excluded: writes to leave out.
    public func completeNode(at path: [TreeKey], besides excluded: [UInt64] = []) -> TreeNode? {
        writes.everything(at: path, over: completeServerNode(at: path), besides: excluded)
    }

    /// The node that a listener to a query would see; nil if too little is known.
    public func known(_ query: TreeQuery, at path: [TreeKey]) -> TreeNode? {
        if let view = points[path[...]].value?.view(of: query), view.cache.events.isComplete {
            return view.cache.events.node
        }
        return visibleNode(at: path)?.given(by: query)
    }

    /// The node that listeners to a query have received, complete or not; nil if there are none.
    public func shown(_ query: TreeQuery, at path: [TreeKey]) -> (node: TreeNode, isComplete: Bool)? {
        guard let seen = points[path[...]].value?.view(of: query)?.cache.events else { return nil }
        return (seen.node, seen.isComplete)
    }

    /// The complete node that listeners see at a path; nil if it is not known.
    func visibleNode(at path: [TreeKey]) -> TreeNode? { laidOver(completeServerNode(at: path), at: path) }

    /// The node that listeners see for a given node of the server, as far as it is known.
    public func laidOver(_ node: TreeNode?, at path: [TreeKey]) -> TreeNode? { writes.at(path).complete(over: node) }

    // MARK: Operations

    /// Applies an operation to every affected view, lower views first.
    private mutating func apply(_ operation: TreeOperation) -> [Effect] {
        var events: [TreeEvent] = []
        points.apply(operation, writes.at([]), nil, &events)
        return events.map(Effect.tell)
    }
}

/// A listen at the server.
public struct TreeListen: Sendable, Hashable, Codable {
    /// Counts the client's listens, so that events for an ended listen can be dropped.
    public var number: UInt64
    public var path: [TreeKey]
    /// The query. Its order is omitted if it has no limits, because then the server sends everything.
    public var query: TreeQuery

    public init(number: UInt64, path: [TreeKey], query: TreeQuery) {
        (self.number, self.path, self.query) = (number, path, query)
    }

    /// True if the query leaves something out, so that its events apply to no other listen.
    public var isFiltered: Bool { !query.loadsAllData }
}

extension TreeWrite {
    fileprivate var kind: TreeOperation.Kind {
        switch change {
        case .set(let node): .overwrite(node)
        case .update(let parts): .merge(PathTree(parts))
        }
    }

    /// The written paths, relative to its path.
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
    /// - Parameter complete: the server's complete node at this path, if a view above has it.
    fileprivate mutating func apply(
        _ operation: TreeOperation, _ writes: LocalWrites, _ complete: TreeNode?, _ events: inout [TreeEvent]
    ) {
        let complete = complete ?? value?.completeServerNode(at: [])
        let concerned = operation.keys.first.map { [$0] } ?? children.map(\.key)
        for key in concerned {
            guard children[key] != nil, let part = operation.part(for: key) else { continue }
            change([key]) { $0.apply(part, writes.at(key), complete?[key], &events) }
        }
        events += value?.apply(operation, writes, complete) ?? []
    }
}
