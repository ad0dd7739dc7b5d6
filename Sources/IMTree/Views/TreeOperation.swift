/// An operation that changes the known state of the tree.
struct TreeOperation: Sendable {
    enum Source: Sendable, Hashable {
        case user
        case server
        /// The server, for one query only.
        case query(TreeQuery)
    }

    enum Kind: Sendable {
        case overwrite(TreeNode)
        case merge(PathTree<TreeNode>)
        /// A write is no longer pending. The tree contains its paths, as a whole or in parts.
        case acknowledge(PathTree<Bool>, isRevert: Bool)
        /// The server has sent everything.
        case listenComplete
    }

    var source: Source
    /// The path of the operation, relative to this node.
    var keys: TreeKeys
    var kind: Kind

    /// The part of it that affects a child; nil for none.
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
        case .acknowledge(let paths, let isRevert):
            // A write of the whole node wrote every child.
            if paths.value == nil { part.kind = .acknowledge(paths[[key]], isRevert: isRevert) }
        case .listenComplete: break
        }
        return part
    }
}
