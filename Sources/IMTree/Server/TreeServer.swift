/// The server's tree, the clients' listens, and the events that they receive for a change. A value, like the client's
/// ``SyncTree``.
public struct TreeServer: Sendable, Hashable, Codable {
    public private(set) var root: TreeNode
    private var points = PathTree<ListenedPath>()

    public init(_ root: TreeNode = .empty) { self.root = root }

    // MARK: Listens

    /// A client begins or repeats a listen.
    ///
    /// - Parameter hash: the hash of the data that the client already has.
    /// - Returns: the first data for the client; nil if the client already has it.
    public mutating func listen(
        _ listen: TreeListen, by client: TreeClientID, hash: TreeHash? = nil
    ) -> TreeServerEvent? {
        let all = root[listen.path[...]]
        let node = points.change(listen.path[...]) { tree in
            var point = tree.value ?? ListenedPath()
            defer { tree.value = point }
            return point.begin(listen, by: client, all)
        }
        return hash == node.hash ? nil : TreeServerEvent(path: listen.path, change: .set(node), listen: listen.number)
    }

    public mutating func unlisten(_ listen: TreeListen, by client: TreeClientID) {
        points.change(listen.path[...]) { tree in
            tree.value?.end(listen, by: client)
            if tree.value?.isEmpty == true { tree.value = nil }
        }
    }

    /// Removes all listens of a client.
    public mutating func forget(_ client: TreeClientID) {
        points.forEachValue {
            $0.forget(client)
            return !$0.isEmpty
        }
    }

    // MARK: Changes

    /// Sets a node at a path, if the current node there has that hash.
    ///
    /// - Returns: as ``apply(_:at:)``; nil if another node is there (26201).
    public mutating func apply(
        _ node: TreeNode, at path: [TreeKey], over hash: TreeHash
    ) -> [(client: TreeClientID, news: TreeServerEvent)]? {
        root[path[...]].hash == hash ? apply(.set(node), at: path) : nil
    }

    /// Sets nodes at some paths, all at once.
    ///
    /// - Returns: the events for the clients, in order.
    public mutating func apply(_ change: TreeWrite.Change, at path: [TreeKey]) -> [(
        client: TreeClientID, news: TreeServerEvent
    )] {
        var parts = PathTree<TreeNode>()
        for part in TreeWrite(id: 0, at: path, change).parts { parts.set(part.keys[...], PathTree(part.node)) }
        let before = root
        root = parts.laid(over: before)
        var news: [(client: TreeClientID, news: TreeServerEvent)] = []
        points.apply(parts, before, root, at: [], &news)
        return news
    }
}

/// Identifies a client of a server.
public struct TreeClientID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A server's event for a client about a change.
public struct TreeServerEvent: Sendable, Hashable {
    public var path: [TreeKey]
    public var change: TreeWrite.Change
    /// The number of the client's listen that it is for.
    public var listen: UInt64

    public init(path: [TreeKey], change: TreeWrite.Change, listen: UInt64) {
        self.path = path
        self.change = change
        self.listen = listen
    }

    /// A single part is a set; nil for no parts.
    init?(_ parts: [TreeWrite.Part], at path: [TreeKey], listen: UInt64) {
        guard let first = parts.first else { return nil }
        let isOne = parts.count == 1
        self.init(
            path: isOne ? path + first.keys : path, change: isOne ? .set(first.node) : .update(parts), listen: listen
        )
    }
}
