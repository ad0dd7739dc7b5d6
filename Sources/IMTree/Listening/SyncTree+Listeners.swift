extension SyncTree {
    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - id: the app's number of the listener. If this number already listens to the query, nothing changes.
    ///   - kinds: the kinds of events that the listener receives.
    /// - Returns: the first events, with the known data, and the requests to the server.
    public mutating func listen(
        _ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey],
        kinds: [TreeEventKind] = TreeEventKind.allCases
    ) -> [Effect] {
        listen(id, to: query, at: path, kinds: kinds, .nothing)
    }

    /// - Parameter stored: the device's data for the query.
    mutating func listen(
        _ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey], kinds: [TreeEventKind], _ stored: StoredNode
    ) -> [Effect] {
        let known = knownServerNode(at: path, stored)
        let isCovered = isCovered(path)
        let own = writes.at(path)
        let before = points[path[...]].value ?? SyncPoint()
        guard before.view(of: query)?.listeners.contains(where: { $0.id == id }) != true else { return [] }

        let isNew = query.loadsAllData ? before.completeView == nil : before.view(of: query) == nil
        let started = isNew && !isCovered ? beginListen(query.atServer, at: path) : nil
        // A listen without limits also serves all paths below, so it replaces the listens there.
        let ended = started?.isFiltered == false ? endListens(under: path) : []
        let events = points.change(path[...]) { tree in
            var point = tree.value ?? SyncPoint()
            let events = point.add(TreeListener(id: id, kinds: kinds), to: query) {
                TreeView(
                    query, at: path, listen: started?.isFiltered == true ? started?.number : nil, server: known, own)
            }
            if let started, !started.isFiltered { point.listen = started.number }
            tree.value = point
            return events
        }
        return events.map(Effect.tell) + (started.map { [.listen($0)] } ?? []) + ended
    }

    /// Removes a listener from a query. For ``TreeQuery/all``, the listener is removed from all queries of the path.
    public mutating func unlisten(_ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey]) -> [Effect] {
        remove(id, from: query, at: path).effects
    }

    /// Ends a listen that the server has refused. The server needs no unlisten.
    ///
    /// - Parameter number: the number of the listen. If the listen has ended, nothing changes.
    public mutating func cancel(_ number: UInt64) -> [Effect] {
        guard let listen = listens[number] else { return [] }
        let removed = remove(nil, from: listen.query, at: listen.path, isRefused: true)
        return removed.listeners.map(Effect.cancelled) + removed.effects
    }

    // MARK: The initial data of a view

    /// The server's node at a path, as far as it is known. If no view has the complete node, the result is the device's
    /// data, in which the complete nodes of views below replace the stored children.
    private func knownServerNode(at path: [TreeKey], _ stored: StoredNode) -> StoredNode {
        if let node = completeServerNode(at: path) { return StoredNode(node: node, isComplete: true) }
        var known = stored
        for (key, point) in points[path[...]].children where !stored.isFiltered || stored.node.has(key) {
            if let child = point.value?.completeServerNode(at: []) { known.node = known.node.setting(key, to: child) }
        }
        return known
    }

    /// True if a view without limits exists at the path or above it. The events of its listen serve all views below.
    private func isCovered(_ path: [TreeKey]) -> Bool {
        points.first(on: path[...]) { point, _ in point.completeView } != nil
    }

    // MARK: Listens at the server

    private mutating func remove(
        _ id: TreeListenerID?, from query: TreeQuery, at path: [TreeKey], isRefused: Bool = false
    ) -> (listeners: [TreeListenerID], effects: [Effect]) {
        guard var point = points[path[...]].value else { return ([], []) }
        let removed = point.remove(id, from: query)
        var ended = removed.views.compactMap(\.listen)
        // If the listen without limits ends, the remaining views at this path and below need listens of their own.
        let endsFullListen = point.listen != nil && point.completeView == nil
        if endsFullListen, let number = point.listen {
            ended.append(number)
            point.listen = nil
        }
        points.change(path[...]) { $0.value = point.isEmpty ? nil : point }
        let started = endsFullListen ? beginListens(under: path) : []
        let listens = ended.compactMap { self.listens[$0] }
        for listen in listens { self.listens.remove(listen.number) }
        return (removed.listeners, started + (isRefused ? [] : listens.map(Effect.unlisten)))
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

    /// Starts the listens that the views at a path and below it need.
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
    /// The query in the form that is sent to the server. A query without limits is sent without its order, because the
    /// server sends all data in each order.
    fileprivate var atServer: TreeQuery { loadsAllData ? .all : self }
}

extension PathTree<SyncPoint> {
    /// Changes the numbers of all needed listens at this path and below: the outermost listens without limits, and
    /// those of queries with limits that no such listen covers.
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
