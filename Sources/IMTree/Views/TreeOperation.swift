/// Something that changes what is known of the tree.
struct TreeOperation: Sendable {
    enum Source: Sendable, Hashable {
        case user
        case server
        /// The server, to a query alone.
        case query(TreeQuery)
    }

    enum Kind: Sendable {
        case overwrite(TreeNode)
        case merge(PathTree<TreeNode>)
        /// A write is no longer pending. The tree says where it wrote, in one piece or in parts.
        case acknowledge(PathTree<Bool>, isRevert: Bool)
        /// The server has told everything.
        case listenComplete
    }

    var source: Source
    /// From here to the place that is meant.
    var keys: TreeKeys
    var kind: Kind

    /// The part of it that concerns a child; nil where nothing does.
    func part(for key: TreeKey) -> TreeOperation? {
        var part = self
        if let first = keys.first {
            guard first == key else { return nil }
            part.keys = keys.dropFirst()
            return part
        }
        switch kind {
        case .overwrite(let node): part.kind = .overwrite(node[key])
        case .merge(let tree):
            let below = tree[[key]]
            guard !below.isEmpty else { return nil }
            part.kind = below.value.map { .overwrite($0) } ?? .merge(below)
        case .acknowledge(let places, let isRevert):
            // What was written as a whole was written to every child.
            if places.value == nil { part.kind = .acknowledge(places[[key]], isRevert: isRevert) }
        case .listenComplete: break
        }
        return part
    }
}
