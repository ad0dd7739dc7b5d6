extension SyncTree {
    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - id: the app's own number; a listener with this number is not added twice.
    ///   - kinds: the kinds of events for the listener.
    /// - Returns: events with the known data, and requests to the server.
    public mutating func listen(
        _ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey],
        kinds: [TreeEventKind] = TreeEventKind.allCases
    ) -> [Effect] {
        listen(id, to: query, at: path, kinds: kinds, .nothing)
    }

    /// - Parameter stored: the device's data for it.
    mutating func listen(
        _ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey], kinds: [TreeEventKind], _ stored: StoredNode
    ) -> [Effect] {
        let known = knownServerNode(at: path, stored)
        let isCovered = isCovered(path)
        let own = writes.at(path)
        let before = points[path[...]].value ?? SyncPoint()
        guard before.view(of: query)?.listeners.contains(where: { $0.id == id }) != true else { return [] }

        let isNew = query.loadsAllData ? before.completeView == nil : before.view(of: query) == nil
        let begun = isNew && !isCovered ? beginListen(query.atServer, at: path) : nil
        // A listen for everything replaces those below.
        let ended = begun?.isFiltered == false ? endListens(under: path) : []
        let events = points.change(path[...]) { tree in
            var point = tree.value ?? SyncPoint()
            let events = point.add(TreeListener(id: id, kinds: kinds), to: query) {
                TreeView(
                    query, at: path, listen: begun?.isFiltered == true ? begun?.number : nil, server: known, own)
            }
            if let begun, !begun.isFiltered { point.listen = begun.number }
            tree.value = point
            return events
        }
        return events.map(Effect.tell) + (begun.map { [.listen($0)] } ?? []) + ended
    }

    /// Removes a listener. For the query for everything, it is removed from all queries of the path.
    public mutating func unlisten(_ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey]) -> [Effect] {
        remove(id, from: query, at: path).effects
    }

    /// The server has refused a listen, so that no unlisten is needed.
    ///
    /// - Parameter number: the listen's; an ended listen is ignored.
    public mutating func cancel(_ number: UInt64) -> [Effect] {
        guard let listen = listens[number] else { return [] }
        let removed = remove(nil, from: listen.query, at: listen.path, isRefused: true)
        return removed.listeners.map(Effect.cancelled) + removed.effects
    }

    // MARK: The initial data of a view

    /// The server's known node at a path. If no view has all of it, the device's data, with the complete children of
    /// lower views laid over it.
    private func knownServerNode(at path: [TreeKey], _ stored: StoredNode) -> StoredNode {
        if let node = completeServerNode(at: path) { return StoredNode(node: node, isComplete: true) }
        var known = stored
        for (key, point) in points[path[...]].children where !stored.isFiltered || stored.node.has(key) {
            if let child = point.value?.completeServerNode(at: []) { known.node = known.node.setting(key, to: child) }
        }
        return known
    }

    /// True if a view at the path or above it is for everything, so that its events also serve lower views.
    private func isCovered(_ path: [TreeKey]) -> Bool {
        var (tree, keys) = (points, path[...])
        while true {
            if tree.value?.completeView != nil { return true }
            guard let key = keys.popFirst(), let below = tree.children[key] else { return false }
            tree = below
        }
    }

    // MARK: Listens at the server

    private mutating func remove(
        _ id: TreeListenerID?, from query: TreeQuery, at path: [TreeKey], isRefused: Bool = false
    ) -> (listeners: [TreeListenerID], effects: [Effect]) {
        guard var point = points[path[...]].value else { return ([], []) }
        let gone = point.remove(id, from: query)
        var ended = gone.views.compactMap(\.listen)
        // The ended listen may have served other views.
        let uncovers = point.listen != nil && point.completeView == nil
        if uncovers, let number = point.listen {
            ended.append(number)
            point.listen = nil
        }
        points.change(path[...]) { $0.value = point.isEmpty ? nil : point }
        let begun = uncovers ? beginListens(under: path) : []
        let listens = ended.compactMap { self.listens[$0] }
        for listen in listens { self.listens.remove(listen.number) }
        return (gone.listeners, begun + (isRefused ? [] : listens.map(Effect.unlisten)))
    }

    /// Ends all listens at a path and below it.
    private mutating func endListens(under path: [TreeKey]) -> [Effect] {
        var ended: [UInt64] = []
        points.change(path[...]) {
            $0.changeListens { number, _, _ in
                if let number { ended.append(number) }
                return nil
            }
        }
        let listens = ended.compactMap { self.listens[$0] }
        for listen in listens where listen.path.starts(with: path) { self.listens.remove(listen.number) }
        return listens.map(Effect.unlisten)
    }

    /// Begins the needed listens at a path and below it.
    private mutating func beginListens(under path: [TreeKey]) -> [Effect] {
        var (effects, tree) = ([Effect](), points[path[...]])
        tree.changeListens(at: path) { _, query, path in
            let listen = beginListen(query, at: path)
            effects.append(.listen(listen))
            return listen.number
        }
        points.set(path[...], tree)
        return effects
    }
}

extension TreeQuery {
    /// The query for the server: without limits, the order is omitted.
    fileprivate var atServer: TreeQuery { loadsAllData ? .all : self }
}

extension PathTree<SyncPoint> {
    /// Changes the number of every needed listen here and below: the outermost ones for everything, and those of
    /// queries beside them.
    fileprivate mutating func changeListens(
        at path: [TreeKey] = [], _ number: (UInt64?, TreeQuery, [TreeKey]) -> UInt64?
    ) {
        if let point = value, point.completeView != nil {
            value?.listen = number(point.listen, .all, path)
            return
        }
        value?.changeListens { number($0, $1, path) }
        for key in children.map(\.key) { change([key]) { $0.changeListens(at: path + [key], number) } }
    }
}
