/// The known part of a node.
struct CachedNode: Sendable, Hashable, Codable {
    var ordered: OrderedNode
    /// True if the whole node is known. For a query with limits, true if its whole result is known.
    var isComplete: Bool
    /// True if the node is the result of a query with limits, so that children may be missing although they exist.
    var isFiltered: Bool

    var node: TreeNode { ordered.node }

    func isComplete(for key: TreeKey) -> Bool { isComplete && !isFiltered || node.has(key) }

    func isComplete(at keys: TreeKeys) -> Bool {
        keys.first.map { isComplete(for: $0) } ?? (isComplete && !isFiltered)
    }
}
