/// A row that describes one node of the client's tree, for display.
public struct TreeOutlineRow: Sendable, Hashable {
    public var path: [TreeKey]
    public var leaf: TreeLeaf?
    public var priority: TreeLeaf?
    /// The number of known children.
    public var childCount: Int
    /// True if the node is completely known.
    public var isComplete: Bool
    /// True if a write that the server has not acknowledged changes the node.
    public var isPending: Bool
    /// The active listens at this path.
    public var listens: [TreeListen]
    /// The number of the app's listeners at this path.
    public var listenerCount: Int
    /// The number of children that were left out because of the limit on rows.
    public var hiddenCount = 0
}

extension SyncTree {
    /// The known nodes at a path and below it, parents before their children. Visible pending writes are included.
    public func outline(of path: [TreeKey], rowsMax: Int) -> [TreeOutlineRow] {
        var outline = Outline(tree: self, rowsMax: rowsMax)
        outline.add(known(at: path), points[path[...]], at: path, isComplete: false, isPending: false)
        return outline.rows
    }

    /// The node at a path, as far as it is known.
    private func known(at path: [TreeKey]) -> TreeNode {
        if let node = visibleNode(at: path) { return node }
        var node = TreeNode.empty
        points[path[...]].forEach { keys, point in
            for view in point.views.reversed() where !view.cache.server.node.isEmpty {
                node = node.setting(keys[...], to: view.cache.server.node)
            }
        }
        return writes.at(path).applied(to: node)
    }

    private struct Outline {
        let tree: SyncTree
        let rowsMax: Int
        var rows: [TreeOutlineRow] = []
        private let written: PathTree<Bool>

        init(tree: SyncTree, rowsMax: Int) {
            self.tree = tree
            self.rowsMax = rowsMax
            var written = PathTree<Bool>()
            for part in tree.pendingWrites.filter(\.isVisible).flatMap(\.parts) {
                written.change(part.keys[...]) { $0.value = true }
            }
            self.written = written
        }

        mutating func add(
            _ node: TreeNode, _ points: PathTree<SyncPoint>, at path: [TreeKey], isComplete: Bool, isPending: Bool
        ) {
            let isComplete = isComplete || tree.visibleNode(at: path) != nil
            let isPending = isPending || written.rootmost(on: path[...]) != nil
            let index = rows.count
            rows.append(
                TreeOutlineRow(
                    path: path, leaf: node.leaf, priority: node.priority, childCount: node.children.count,
                    isComplete: isComplete, isPending: isPending,
                    listens: tree.activeListens.filter { $0.path == path },
                    listenerCount: points.value?.views.reduce(0) { $0 + $1.listeners.count } ?? 0))
            // A path with a listener gets a row even if none of its data is known.
            let listened = points.children.filter { !node.has($0.key) && !$0.value.isEmpty }.map(\.key)
            var hidden = 0
            for key in (node.children.map(\.key) + listened).sorted() where key != .priority {
                guard rows.count < rowsMax else {
                    hidden += 1
                    continue
                }
                add(
                    node[key], points.children[key] ?? PathTree(), at: path + [key], isComplete: isComplete,
                    isPending: isPending)
            }
            rows[index].hiddenCount = hidden
        }
    }
}
