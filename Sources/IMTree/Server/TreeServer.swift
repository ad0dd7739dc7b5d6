/// The tree as its owner holds it, who listens to it, and what they are to be told of a change. A value, like the
/// client's ``SyncTree``.
public struct TreeServer: Sendable, Hashable, Codable {
    public private(set) var root: TreeNode
    private var points = PathTree<ListenedPlace>()

    public init(_ root: TreeNode = .empty) { self.root = root }

    // MARK: Listens

    /// A client begins to listen, or does so again.
    ///
    /// - Parameter hash: of what the client has of it already.
    /// - Returns: what it is to be told first; nil where it has just that.
    public mutating func listen(
        _ listen: TreeListen, by client: TreeClientID, hash: TreeHash? = nil
    ) -> TreeNews? {
        let all = root[listen.place[...]]
        let node = points.change(listen.place[...]) { tree in
            var point = tree.value ?? ListenedPlace()
            defer { tree.value = point }
            return point.begin(listen, by: client, all)
        }
        return hash == node.hash ? nil : TreeNews(place: listen.place, change: .set(node), listen: listen.number)
    }

    public mutating func unlisten(_ listen: TreeListen, by client: TreeClientID) {
        points.change(listen.place[...]) { tree in
            tree.value?.end(listen, by: client)
            if tree.value?.isEmpty == true { tree.value = nil }
        }
    }

    /// A client is gone.
    public mutating func forget(_ client: TreeClientID) {
        points.forEachValue {
            $0.forget(client)
            return !$0.isEmpty
        }
    }

    // MARK: Changes

    /// Puts a node in a place where something with that hash stands.
    ///
    /// - Returns: as ``apply(_:at:)``; nil where something else stands there (26201).
    public mutating func apply(
        _ node: TreeNode, at place: [TreeKey], over hash: TreeHash
    ) -> [(client: TreeClientID, news: TreeNews)]? {
        root[place[...]].hash == hash ? apply(.set(node), at: place) : nil
    }

    /// Puts something else in some places, at once.
    ///
    /// - Returns: what the clients are to be told, one after the other.
    public mutating func apply(_ change: TreeWrite.Change, at place: [TreeKey]) -> [(
        client: TreeClientID, news: TreeNews
    )] {
        var parts = PathTree<TreeNode>()
        for part in TreeWrite(id: 0, at: place, change).parts { parts.set(part.keys[...], PathTree(part.node)) }
        let before = root
        root = parts.laid(over: before)
        var news: [(client: TreeClientID, news: TreeNews)] = []
        points.apply(parts, before, root, at: [], &news)
        return news
    }
}

/// Tells the clients of a server apart.
public struct TreeClientID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a server tells a client of a change.
public struct TreeNews: Sendable, Hashable {
    public var place: [TreeKey]
    public var change: TreeWrite.Change
    /// The number of the client's listen that it is said to.
    public var listen: UInt64

    public init(place: [TreeKey], change: TreeWrite.Change, listen: UInt64) {
        self.place = place
        self.change = change
        self.listen = listen
    }

    /// One part is a set; nil where there is none.
    init?(_ parts: [TreeWrite.Part], at place: [TreeKey], listen: UInt64) {
        guard let first = parts.first else { return nil }
        let isOne = parts.count == 1
        self.init(
            place: isOne ? place + first.keys : place, change: isOne ? .set(first.node) : .update(parts), listen: listen
        )
    }
}
