/// What a device holds of a query of a place.
struct StoredNode: Sendable, Hashable {
    var node = TreeNode.empty
    /// Whether that is all.
    var isComplete = false
    /// Whether the query has left something out.
    var isFiltered = false

    static let nothing = StoredNode()
}

/// Brings together what is held of a query of a place, the newest last.
struct StoredNodeBuilder {
    let query: TreeQuery
    let place: [TreeKey]
    private(set) var stored = StoredNode.nothing

    init(_ query: TreeQuery, at place: [TreeKey]) {
        self.query = query
        self.place = place
    }

    /// - Parameter node: what is held of the tracked query.
    mutating func add(_ tracked: TrackedQuery, _ node: TreeNode) {
        guard tracked.query.loadsAllData else { return add(window: tracked, node) }
        if place.starts(with: tracked.place) {
            stored = StoredNode(node: node[place.dropFirst(tracked.place.count)], isComplete: true)
            return
        }
        guard tracked.place.starts(with: place) else { return }
        let keys = tracked.place.dropFirst(place.count)
        // A part of a child makes no whole.
        let isInWhole = stored.isComplete && (!stored.isFiltered || keys.first.map(stored.node.has) == true)
        guard isInWhole || keys.count == 1 else { return }
        stored.node = stored.node.setting(keys, to: node)
        narrow()
    }

    private mutating func add(window tracked: TrackedQuery, _ node: TreeNode) {
        guard tracked.place == place else { return }
        // A window says nothing of a value or a priority of the place itself.
        if !query.loadsAllData, tracked.query.unlimited(by: node).gives(query) {
            stored = StoredNode(node: node, isComplete: true, isFiltered: true)
        } else {
            for (key, child) in node.children { stored.node = stored.node.setting(key, to: child) }
        }
        narrow()
    }

    private mutating func narrow() {
        if stored.isFiltered { stored.node = stored.node.given(by: query) }
    }
}
