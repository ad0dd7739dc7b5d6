/// The data that a device stores for a query of a path.
struct StoredNode: Sendable, Hashable {
    var node = TreeNode.empty
    /// True if the data is complete: the whole node, or the whole result of the query.
    var isComplete = false
    /// True if the data is the result of a query with limits, so that children may be missing.
    var isFiltered = false

    static let nothing = StoredNode()
}

/// Combines the stored data of several tracked queries into the data for one query of a path. The tracked queries are
/// added in the order of their age, the newest last.
struct StoredNodeBuilder {
    let query: TreeQuery
    let path: [TreeKey]
    private(set) var stored = StoredNode.nothing

    init(_ query: TreeQuery, at path: [TreeKey]) {
        self.query = query
        self.path = path
    }

    /// Adds the data of a tracked query, which is newer than the data added before.
    ///
    /// - Parameter node: the stored data of the tracked query.
    mutating func add(_ tracked: TrackedQuery, _ node: TreeNode) {
        let isWindow = !tracked.query.loadsAllData
        if path.starts(with: tracked.path) {
            let keys = path.dropFirst(tracked.path.count)
            guard isWindow else { return stored = StoredNode(node: node[keys], isComplete: true) }
            guard let key = keys.first else { return add(window: node, of: tracked.query) }
            // Each child in the result of a query is complete.
            if node.has(key) { stored = StoredNode(node: node[keys], isComplete: true) }
        } else if tracked.path.starts(with: path) {
            let keys = tracked.path.dropFirst(path.count)
            // Data from below a child does not make the child complete, so it is ignored if the child is incomplete.
            let isInWhole = stored.isComplete && (!stored.isFiltered || keys.first.map(stored.node.has) == true)
            guard isInWhole || keys.count == 1 && !isWindow else { return }
            let below = isWindow ? stored.node[keys].taking(window: node, of: tracked.query) : node
            stored.node = stored.node.setting(keys, to: below)
            applyQuery()
        }
    }

    private mutating func add(window node: TreeNode, of other: TreeQuery) {
        if stored.isComplete, !stored.isFiltered {
            stored.node = stored.node.taking(window: node, of: other)
        } else if !query.loadsAllData, other.unlimited(by: node).containsResult(of: query) {
            // The result of a query with limits does not contain the value and the priority of the path itself.
            stored = StoredNode(node: node, isComplete: true, isFiltered: true)
        } else {
            stored.node = stored.node.setting(node.children)
        }
        applyQuery()
    }

    private mutating func applyQuery() {
        if stored.isFiltered { stored.node = stored.node.given(by: query) }
    }
}

extension TreeNode {
    fileprivate func setting(_ children: SortedMap<TreeKey, TreeNode>) -> TreeNode {
        children.reduce(self) { $0.setting($1.key, to: $1.value) }
    }

    /// The node, updated by a newer result of a query. Children that the query would select from the node but that are
    /// not in the result no longer exist.
    fileprivate func taking(window: TreeNode, of query: TreeQuery) -> TreeNode {
        var node = setting(window.children)
        while true {
            let others = node.given(by: query).children.filter { !window.has($0.key) }
            guard !others.isEmpty else { return node }
            for other in others { node = node.setting(other.key, to: .empty) }
        }
    }
}
