/// The server's tree with the clients' listens, as a value. A change returns the events for the clients.
public struct TreeServer: Sendable, Hashable, Codable {
    public private(set) var root: TreeNode
    private var points = PathTree<ListenedPath>()

    /// An event with the client that receives it.
    public typealias ClientEvent = (client: TreeClientID, event: TreeServerEvent)

    public init(_ root: TreeNode = .empty) { self.root = root }

    // MARK: Listens

    /// Starts or repeats a listen of a client.
    ///
    /// - Parameter hash: the hash of the data that the client already has; nil if it has none.
    /// - Returns: the event with the initial data; nil if the client already has this data.
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

    // MARK: Changes

    /// Applies a change as a whole.
    ///
    /// - Returns: the events for the clients, in the order in which they must be sent.
    public mutating func apply(_ change: TreeWrite.Change, at path: [TreeKey]) -> [ClientEvent] {
        var parts = PathTree<TreeNode>()
        for part in TreeWrite(id: 0, at: path, change).parts { parts.set(part.keys[...], PathTree(part.node)) }
        let before = root
        root = parts.applied(to: before)
        var events: [ClientEvent] = []
        points.apply(parts, before, root, at: [], &events)
        return events
    }
}

public struct TreeClientID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The server's event for one listen of a client.
public struct TreeServerEvent: Sendable, Hashable {
    public var path: [TreeKey]
    public var change: TreeWrite.Change
    /// The number of the listen that the event belongs to.
    public var listen: UInt64

    public init(path: [TreeKey], change: TreeWrite.Change, listen: UInt64) {
        self.path = path
        self.change = change
        self.listen = listen
    }

    /// An event with changed parts. A single part becomes a set, several become an update. Nil if there are no parts.
    init?(_ parts: [TreeWrite.Part], at path: [TreeKey], listen: UInt64) {
        guard let first = parts.first else { return nil }
        let isSinglePart = parts.count == 1
        self.init(
            path: isSinglePart ? path + first.keys : path, change: isSinglePart ? .set(first.node) : .update(parts),
            listen: listen)
    }
}
