/// What a client knows of the tree: who listens where, what the server has said, and the writes that it has not
/// acknowledged (SYNC-4, SYNC-10). A value: a copy is free, and nothing happens but what an operation says in its effects.
public struct SyncTree: Sendable, Hashable, Codable {
    var points = PathTree<SyncPoint>()
    var writes = PendingTreeWrites()
    /// What the server is listened to for, by the number of each.
    var listens = SortedMap<UInt64, TreeListen>()
    private var lastListen: UInt64 = 0

    public init() {}

    /// What is to be done, in order.
    public enum Effect: Sendable, Hashable {
        case tell(TreeEvent)
        /// The listener is told no more: the server has refused.
        case cancelled(TreeListenerID)
        case listen(TreeListen)
        case unlisten(TreeListen)
    }

    /// The writes that the server has not acknowledged, oldest first.
    public var pendingWrites: [TreeWrite] { writes.writes }

    /// What is listened to at the server, oldest first: the least that serves every listener.
    public var activeListens: [TreeListen] { listens.map(\.value) }

    func listen(_ number: UInt64) -> TreeListen? { listens[number] }

    mutating func beginListen(_ query: TreeQuery, at place: [TreeKey]) -> TreeListen {
        lastListen &+= 1
        let listen = TreeListen(number: lastListen, place: place, query: query)
        listens.set(lastListen, listen)
        return listen
    }

    // MARK: Own writes

    /// Lays a write over what is known.
    public mutating func write(_ write: TreeWrite) -> [Effect] {
        writes.add(write)
        guard write.isVisible else { return [] }
        return apply(TreeOperation(source: .user, keys: write.place[...], kind: write.kind))
    }

    /// The server has taken a write, or refused it, so that what it did is undone.
    public mutating func acknowledge(_ id: UInt64, isRevert: Bool) -> [Effect] {
        guard let (write, wasSeen) = writes.remove(id), wasSeen else { return [] }
        return apply(
            TreeOperation(
                source: .user, keys: write.place[...], kind: .acknowledge(write.places, isRevert: isRevert)))
    }

    // MARK: The server's word

    /// The server has something else at a place.
    ///
    /// - Parameter listen: the number of the listen that it is said to; what is said to one that has ended is dropped. Nil
    ///   where it holds for everybody.
    public mutating func hear(_ node: TreeNode, at place: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        heard(.overwrite(node), at: place, listen)
    }

    /// The server has something else at places below one.
    public mutating func hear(_ parts: [TreeWrite.Part], at place: [TreeKey], listen: UInt64? = nil) -> [Effect] {
        heard(.merge(PathTree(parts)), at: place, listen)
    }

    /// The server has told all that a listen asked for.
    ///
    /// - Parameter number: the listen's; one that has ended is of no concern.
    public mutating func complete(_ number: UInt64) -> [Effect] {
        guard let listen = listens[number] else { return [] }
        if let node = nodeForWindows(under: listen) { return heard(.overwrite(node), at: listen.place, number) }
        return heard(.listenComplete, at: listen.place, number)
    }

    /// Windows that a listen for everything serves from now on hear of children that they do not hold in what is said to
    /// that one. Where it knew all of it already, nothing has been said that would tell them so.
    ///
    /// - Returns: what they have to be told; nil where there are none.
    private func nodeForWindows(under listen: TreeListen) -> TreeNode? {
        guard !listen.isFiltered, let node = serverNode(of: listen) else { return nil }
        var isNeeded = false
        points[listen.place[...]].forEach { _, point in
            isNeeded = isNeeded || point.views.contains(where: \.isFiltered)
        }
        return isNeeded ? node : nil
    }

    private mutating func heard(_ kind: TreeOperation.Kind, at place: [TreeKey], _ number: UInt64?) -> [Effect] {
        let everybody = TreeOperation(source: .server, keys: place[...], kind: kind)
        guard let number else { return apply(everybody) }
        guard let listen = listens[number], place.starts(with: listen.place) else { return [] }
        guard listen.isFiltered else { return apply(everybody) }
        let operation = TreeOperation(
            source: .query(listen.query), keys: place.dropFirst(listen.place.count), kind: kind)
        let own = writes.at(listen.place)
        return points.change(listen.place[...]) { point in
            point.value?.apply(operation, own, nil).map(Effect.tell) ?? []
        }
    }

    // MARK: What is known

    /// All that the server has at a place; nil where that is not known.
    public func completeServerNode(at place: [TreeKey]) -> TreeNode? {
        var (tree, keys) = (points, place[...])
        while true {
            if let node = tree.value?.completeServerNode(at: keys) { return node }
            guard let key = keys.popFirst(), let below = tree.children[key] else { return nil }
            tree = below
        }
    }

    /// Of what is known from the server of what a listen asks for, so that it need not send it again; nil where that is
    /// not all.
    public func hash(of listen: TreeListen) -> TreeHash? { serverNode(of: listen)?.hash }

    /// What is known from the server of what a listen asks for; nil where that is not all.
    func serverNode(of listen: TreeListen) -> TreeNode? {
        let point = points[listen.place[...]].value
        let view =
            !listen.isFiltered ? point?.completeView : point?.views.first { $0.listen == listen.number }
        guard let view, let node = view.cache.completeServerNode else { return nil }
        return view.query.loadsAllData || view.cache.server.isFiltered ? node : node.given(by: view.query)
    }

    /// The windows that hear what is said to a listen below them as well, with what is known of them from the server.
    func windows(above news: TreeNews) -> [(listen: TreeListen, node: TreeNode)] {
        guard let heard = listens[news.listen], !heard.isFiltered else { return [] }
        return activeListens.compactMap { listen in
            guard listen.isFiltered, heard.place.starts(with: listen.place) else { return nil }
            return serverNode(of: listen).map { (listen, $0) }
        }
    }

    /// Whether a listener to a query begins with what others know, so that the device need not be asked.
    func knows(_ query: TreeQuery, at place: [TreeKey]) -> Bool {
        points[place[...]].value?.view(of: query) != nil || completeServerNode(at: place) != nil
    }

    /// All that a place holds with every pending write laid over it, also those that no listener sees; nil where that is
    /// not known.
    ///
    /// - Parameter excluded: writes that do not count.
    public func completeNode(at place: [TreeKey], besides excluded: [UInt64] = []) -> TreeNode? {
        writes.everything(at: place, over: completeServerNode(at: place), besides: excluded)
    }

    /// What a listener to a query would see; nil where too little is known to say.
    public func known(_ query: TreeQuery, at place: [TreeKey]) -> TreeNode? {
        if let view = points[place[...]].value?.view(of: query), view.cache.events.isComplete {
            return view.cache.events.node
        }
        return seenNode(at: place)?.given(by: query)
    }

    /// What those who listen to a query have been told of, whole or not; nil where nobody does.
    public func shown(_ query: TreeQuery, at place: [TreeKey]) -> (node: TreeNode, isComplete: Bool)? {
        guard let seen = points[place[...]].value?.view(of: query)?.cache.events else { return nil }
        return (seen.node, seen.isComplete)
    }

    /// All that listeners see at a place; nil where it is not known.
    func seenNode(at place: [TreeKey]) -> TreeNode? { laidOver(completeServerNode(at: place), at: place) }

    /// What listeners see where the server has that node, as far as it is known.
    public func laidOver(_ node: TreeNode?, at place: [TreeKey]) -> TreeNode? { writes.at(place).complete(over: node) }

    // MARK: Operations

    /// Brings an operation to every view that it concerns: those below before those above.
    private mutating func apply(_ operation: TreeOperation) -> [Effect] {
        var events: [TreeEvent] = []
        points.apply(operation, writes.at([]), nil, &events)
        return events.map(Effect.tell)
    }
}

/// What is listened to at the server.
public struct TreeListen: Sendable, Hashable, Codable {
    /// Counts the client's listens: what the server says of one that has ended is dropped.
    public var number: UInt64
    public var place: [TreeKey]
    /// What is asked for; an order alone is not, since everything comes anyway.
    public var query: TreeQuery

    public init(number: UInt64, place: [TreeKey], query: TreeQuery) {
        (self.number, self.place, self.query) = (number, place, query)
    }

    /// Whether something is left out, so that what is said to it holds for nobody else.
    public var isFiltered: Bool { !query.loadsAllData }
}

extension TreeWrite {
    fileprivate var kind: TreeOperation.Kind {
        switch change {
        case .set(let node): .overwrite(node)
        case .update(let parts): .merge(PathTree(parts))
        }
    }

    /// Where it wrote, seen from its place.
    fileprivate var places: PathTree<Bool> {
        switch change {
        case .set: return PathTree(true)
        case .update(let parts):
            var places = PathTree<Bool>()
            for part in parts { places.set(part.keys[...], PathTree(true)) }
            return places
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
    /// - Parameter complete: all that the server has here, where a view above knows it.
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
