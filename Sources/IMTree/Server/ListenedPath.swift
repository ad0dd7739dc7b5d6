/// The listens of clients at one path of the server's tree.
struct ListenedPath: Sendable, Hashable, Codable {
    /// The clients whose listens at this path have no limits.
    private(set) var clients: [Listening] = []
    /// The listens with limits.
    private(set) var windows: [ListenedWindow] = []
    /// The node at the path, once for each order of the windows.
    private var ordered: [OrderedNode] = []

    struct Listening: Sendable, Hashable, Codable {
        var client: TreeClientID
        /// The number that the client gave the listen.
        var listen: UInt64
    }

    var isEmpty: Bool { clients.isEmpty && windows.isEmpty }

    // MARK: Listens

    /// Adds a listen.
    ///
    /// - Parameter node: the complete node at this path.
    /// - Returns: the part of the node that the listen selects.
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
        return window.selection.node
    }

    mutating func end(_ listen: TreeListen, by client: TreeClientID) {
        clients.removeAll { $0 == Listening(client: client, listen: listen.number) }
        windows.removeAll { $0.client == client && $0.listen == listen.number }
        ordered.removeAll { one in !windows.contains { $0.query.order == one.order } }
    }

    // MARK: Changes

    /// Updates the windows after the node at the path was replaced. Returns their events.
    mutating func replace(with node: TreeNode, at path: [TreeKey]) -> [TreeServer.ClientEvent] {
        for index in ordered.indices { ordered[index] = OrderedNode(node, ordered[index].order) }
        return windows.indices.compactMap { index in
            windows[index].replace(with: node).map {
                (windows[index].client, TreeServerEvent(path: path, change: .set($0), listen: windows[index].listen))
            }
        }
    }

    /// Updates the windows after nodes below the path have changed. Returns their events.
    ///
    /// - Parameters:
    ///   - before: the node at the path before the change.
    ///   - node: the node at the path after the change.
    mutating func update(
        _ parts: PathTree<TreeNode>, _ before: TreeNode, _ node: TreeNode, at path: [TreeKey]
    ) -> [TreeServer.ClientEvent] {
        let isOne = parts.children.count == 1 && before.priority == node.priority
        for key in parts.children.map(\.key) {
            for index in ordered.indices {
                let isComputed = isOne && ordered[index].node.isIdentical(to: before)
                ordered[index].set(key, to: node[key], in: isComputed ? node : nil)
            }
        }
        return windows.indices.compactMap { index in
            guard let all = ordered.first(where: { $0.order == windows[index].query.order }) else { return nil }
            let changed = windows[index].update(parts, all)
            return TreeServerEvent(changed, at: path, listen: windows[index].listen).map {
                (windows[index].client, $0)
            }
        }
    }
}

/// A listen with limits, and the part of the node that it selects.
struct ListenedWindow: Sendable, Hashable, Codable {
    let client: TreeClientID
    let listen: UInt64
    let query: TreeQuery
    private(set) var selection: OrderedNode

    private var filter: WindowFilter { WindowFilter(query) }

    init(_ query: TreeQuery, by client: TreeClientID, listen: UInt64, _ node: TreeNode) {
        self.client = client
        self.listen = listen
        self.query = query
        var ignored = ChildChanges()
        selection = WindowFilter(query).replacing(OrderedNode(.empty, query.order), with: node, &ignored)
    }

    /// - Returns: the new selection; nil if it has not changed.
    mutating func replace(with node: TreeNode) -> TreeNode? {
        var changes = ChildChanges()
        selection = filter.replacing(selection, with: node, &changes)
        return changes.isEmpty ? nil : selection.node
    }

    /// - Returns: the changed parts of the selection, each as small as possible.
    mutating func update(_ parts: PathTree<TreeNode>, _ all: OrderedNode) -> [TreeWrite.Part] {
        var changes = ChildChanges()
        for key in parts.children.map(\.key) where key != .priority {
            filter.set(key, to: all.node[key], changedAt: [], in: &selection, OrderedSource(all: all), &changes)
        }
        return changes.all.flatMap { change -> [TreeWrite.Part] in
            guard case .changed(let key, let node, _) = change, let below = parts.children[key], below.value == nil
            else { return [TreeWrite.Part([change.key], selection.node[change.key])] }
            var parts: [TreeWrite.Part] = []
            below.forEach { keys, _ in parts.append(TreeWrite.Part([key] + keys, node[keys[...]])) }
            return parts
        }
    }
}

/// A source with all children of a node.
private struct OrderedSource: ChildSource {
    let all: OrderedNode

    func completeChild(_ key: TreeKey) -> TreeNode? { all.node[key] }

    func child(beyond child: OrderedNode.Child, isFromEnd: Bool, order: TreeOrder) -> OrderedNode.Child? {
        all.child(beyond: child, isFromEnd: isFromEnd)
    }
}

extension PathTree<ListenedPath> {
    /// - Parameter parts: the changed parts, relative to this path.
    mutating func apply(
        _ parts: PathTree<TreeNode>, _ before: TreeNode, _ after: TreeNode, at path: [TreeKey],
        _ events: inout [TreeServer.ClientEvent]
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
                TreeServerEvent(changed, at: path, listen: one.listen).map { events.append((one.client, $0)) }
            }
            events +=
                parts.value == nil
                ? point.update(parts, before, after, at: path) : point.replace(with: after, at: path)
            value = point
        }
        let affected = parts.value == nil ? parts.children.map(\.key) : children.map(\.key)
        for key in affected where children[key] != nil {
            let below = parts.value == nil ? parts[[key]] : PathTree<TreeNode>(after[key])
            change([key]) { $0.apply(below, before[key], after[key], at: path + [key], &events) }
        }
    }
}
