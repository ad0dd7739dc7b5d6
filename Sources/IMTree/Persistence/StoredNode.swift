/// A device's data for a query of a path.
struct StoredNode: Sendable, Hashable {
    var node = TreeNode.empty
    /// True if the data is complete.
    var isComplete = false
    /// True if the query has left something out.
    var isFiltered = false

    static let nothing = StoredNode()
}

/// Combines the stored data for a query of a path, the newest last.
struct StoredNodeBuilder {
    let query: TreeQuery
    let path: [TreeKey]
    private(set) var stored = StoredNode.nothing

    init(_ query: TreeQuery, at path: [TreeKey]) {
        self.query = query
        self.path = path
    }

    /// - Parameter node: the stored data of the tracked query.
    mutating func add(_ tracked: TrackedQuery, _ node: TreeNode) {
        let isWindow = !tracked.query.loadsAllData
        if path.starts(with: tracked.path) {
            let keys = path.dropFirst(tracked.path.count)
            guard isWindow else { return stored = StoredNode(node: node[keys], isComplete: true) }
            guard let key = keys.first else { return add(window: node, of: tracked.query) }
            // Each child of a window is complete.
            if node.has(key) { stored = StoredNode(node: node[keys], isComplete: true) }
        } else if tracked.path.starts(with: path) {
            let keys = tracked.path.dropFirst(path.count)
            // A part of a child does not make it complete.
            let isInWhole = stored.isComplete && (!stored.isFiltered || keys.first.map(stored.node.has) == true)
            guard isInWhole || keys.count == 1 && !isWindow else { return }
            let below = isWindow ? stored.node[keys].taking(window: node, of: tracked.query) : node
            stored.node = stored.node.setting(keys, to: below)
            narrow()
        }
    }

    private mutating func add(window node: TreeNode, of other: TreeQuery) {
        if stored.isComplete, !stored.isFiltered {
            stored.node = stored.node.taking(window: node, of: other)
        } else if !query.loadsAllData, other.unlimited(by: node).gives(query) {
            // A window contains neither the value nor the priority of the path itself.
            stored = StoredNode(node: node, isComplete: true, isFiltered: true)
        } else {
            stored.node = stored.node.setting(node.children)
        }
        narrow()
    }

    private mutating func narrow() {
        if stored.isFiltered { stored.node = stored.node.given(by: query) }
    }
}

extension TreeNode {
    fileprivate func setting(_ children: SortedMap<TreeKey, TreeNode>) -> TreeNode {
        children.reduce(self) { $0.setting($1.key, to: $1.value) }
    }

    /// The node with the later result of a query of it: other children that the query would select no longer exist.
    fileprivate func taking(window: TreeNode, of query: TreeQuery) -> TreeNode {
        var node = setting(window.children)
        while true {
            let others = node.given(by: query).children.filter { !window.has($0.key) }
            guard !others.isEmpty else { return node }
            for other in others { node = node.setting(other.key, to: .empty) }
        }
    }
}
