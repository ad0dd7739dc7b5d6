/// The listens of clients at one path of the server's tree.
struct ListenedPath: Sendable, Hashable, Codable {
    /// Listens to everything.
    private(set) var clients: [Listening] = []
    private(set) var windows: [ListenedWindow] = []
    /// The children at the path in each of the windows' orders.
    private var ordered: [OrderedNode] = []

    struct Listening: Sendable, Hashable, Codable {
        var client: TreeClientID
        /// The client's number of the listen.
        var listen: UInt64
    }

    var isEmpty: Bool { clients.isEmpty && windows.isEmpty }

    // MARK: Listens

    /// - Parameter node: the complete node at this path.
    /// - Returns: the part of it that the listen selects.
    mutating func begin(_ listen: TreeListen, by client: TreeClientID, _ node: TreeNode) -> TreeNode {
        end(listen, by: client)
        guard listen.isFiltered else {
            clients.append(Listening(client: client, listen: listen.number))
            return node
        }
        if !ordered.contains(where: { $0.order == listen.query.order }) {
            ordered.append(OrderedNode(node, listen.query.order))
        }
        let window = ListenedWindow(listen.query, by: client, listen: listen.number, node)
        windows.append(window)
        return window.given.node
    }

    mutating func end(_ listen: TreeListen, by client: TreeClientID) {
        clients.removeAll { $0 == Listening(client: client, listen: listen.number) }
        keep { $0.client != client || $0.listen != listen.number }
    }

    mutating func forget(_ client: TreeClientID) {
        clients.removeAll { $0.client == client }
        keep { $0.client != client }
    }

    private mutating func keep(_ isKept: (ListenedWindow) -> Bool) {
        windows = windows.filter(isKept)
        ordered.removeAll { one in !windows.contains { $0.query.order == one.order } }
    }

    // MARK: Changes

    /// The node at the path is replaced.
    mutating func replace(with node: TreeNode, at path: [TreeKey]) -> [(client: TreeClientID, news: TreeServerEvent)] {
        for index in ordered.indices { ordered[index] = OrderedNode(node, ordered[index].order) }
        return windows.indices.compactMap { index in
            windows[index].replace(with: node).map {
                (windows[index].client, TreeServerEvent(path: path, change: .set($0), listen: windows[index].listen))
            }
        }
    }

    /// Nodes at paths below have changed.
    ///
    /// - Parameters:
    ///   - before: the node here before the change.
    ///   - node: the node here now.
    mutating func take(
        _ parts: PathTree<TreeNode>, _ before: TreeNode, _ node: TreeNode, at path: [TreeKey]
    ) -> [(client: TreeClientID, news: TreeServerEvent)] {
        let isOne = parts.children.count == 1 && before.priority == node.priority
        for key in parts.children.map(\.key) {
            for index in ordered.indices {
                let isMade = isOne && ordered[index].node.isIdentical(to: before)
                ordered[index].set(key, to: node[key], in: isMade ? node : nil)
            }
        }
        return windows.indices.compactMap { index in
            guard let all = ordered.first(where: { $0.order == windows[index].query.order }) else { return nil }
            let changed = windows[index].take(parts, all)
            return TreeServerEvent(changed, at: path, listen: windows[index].listen).map {
                (windows[index].client, $0)
            }
        }
    }
}

/// A client's part of a query with limits.
struct ListenedWindow: Sendable, Hashable, Codable {
    let client: TreeClientID
    let listen: UInt64
    let query: TreeQuery
    private(set) var given: OrderedNode

    private var filter: WindowFilter { WindowFilter(query) }

    init(_ query: TreeQuery, by client: TreeClientID, listen: UInt64, _ node: TreeNode) {
        self.client = client
        self.listen = listen
        self.query = query
        var ignored = ChildChanges()
        given = WindowFilter(query).replacing(OrderedNode(.empty, query.order), with: node, &ignored)
    }

    /// - Returns: the new result, if it differs.
    mutating func replace(with node: TreeNode) -> TreeNode? {
        var changes = ChildChanges()
        given = filter.replacing(given, with: node, &changes)
        return changes.isEmpty ? nil : given.node
    }

    /// - Returns: the changed parts, each as small as possible.
    mutating func take(_ parts: PathTree<TreeNode>, _ all: OrderedNode) -> [TreeWrite.Part] {
        var changes = ChildChanges()
        for key in parts.children.map(\.key) where key != .priority {
            filter.set(key, to: all.node[key], changedAt: [], in: &given, OrderedSource(all: all), &changes)
        }
        return changes.all.flatMap { change -> [TreeWrite.Part] in
            guard case .changed(let key, let node, _) = change, let below = parts.children[key], below.value == nil
            else { return [TreeWrite.Part([change.key], given.node[change.key])] }
            var parts: [TreeWrite.Part] = []
            below.forEach { keys, _ in parts.append(TreeWrite.Part([key] + keys, node[keys[...]])) }
            return parts
        }
    }
}

/// Has every child.
private struct OrderedSource: ChildSource {
    let all: OrderedNode

    func completeChild(_ key: TreeKey) -> TreeNode? { all.node[key] }

    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child? {
        let position = all.position(of: child)
        return isFromEnd ? all.child(before: position) : all.child(after: position)
    }
}

extension PathTree<ListenedPath> {
    /// - Parameter parts: the changed parts, relative to this path.
    mutating func apply(
        _ parts: PathTree<TreeNode>, _ before: TreeNode, _ after: TreeNode, at path: [TreeKey],
        _ news: inout [(client: TreeClientID, news: TreeServerEvent)]
    ) {
        if var point = value {
            value = nil
            var changed: [TreeWrite.Part] = []
            if !point.clients.isEmpty {
                parts.forEach { keys, _ in
                    let node = after[keys[...]]
                    if before[keys[...]] != node { changed.append(TreeWrite.Part(keys, node)) }
                }
            }
            for one in point.clients {
                TreeServerEvent(changed, at: path, listen: one.listen).map { news.append((one.client, $0)) }
            }
            news +=
                parts.value == nil
                ? point.take(parts, before, after, at: path) : point.replace(with: after, at: path)
            value = point
        }
        let concerned = parts.value == nil ? parts.children.map(\.key) : children.map(\.key)
        for key in concerned where children[key] != nil {
            let below = parts.value == nil ? parts[[key]] : PathTree<TreeNode>(after[key])
            change([key]) { $0.apply(below, before[key], after[key], at: path + [key], &news) }
        }
    }

    /// Changes every value; removes those for which the body returns false.
    mutating func forEachValue(_ body: (inout ListenedPath) -> Bool) {
        if var point = value { value = body(&point) ? point : nil }
        for key in children.map(\.key) { change([key]) { $0.forEachValue(body) } }
    }
}
