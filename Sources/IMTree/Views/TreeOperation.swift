/// A change of the known state of the tree: a write of the app, an event of the server, or an answer.
struct TreeOperation: Sendable {
    enum Source: Sendable, Hashable {
        case user
        case server
        /// The server. The operation applies to one query only.
        case query(TreeQuery)
    }

    enum Kind: Sendable {
        case overwrite(TreeNode)
        case merge(PathTree<TreeNode>)
        /// Ends a pending write. The ``PathTree`` contains the written paths: that of the write, or those of an update.
        case acknowledge(PathTree<Bool>, isRevert: Bool)
        /// Ends the initial data of a listen: the server has sent all of it.
        case listenComplete
    }

    var source: Source
    /// The path of the operation, relative to the node that it is applied to.
    var keys: TreeKeys
    var kind: Kind

    /// The part of the operation that affects a child; nil if it does not affect the child.
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
            // If the write set the whole node, it wrote all children.
            if paths.value == nil { part.kind = .acknowledge(paths[[key]], isRevert: isRevert) }
        case .listenComplete: break
        }
        return part
    }
}
