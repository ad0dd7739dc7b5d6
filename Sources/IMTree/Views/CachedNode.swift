/// A node as far as it is known.
struct CachedNode: Sendable, Hashable, Codable {
    var ordered: OrderedNode
    /// True if the node is complete; for a query, its result.
    var isComplete: Bool
    /// True if a query has left something out, so that a missing child may exist.
    var isFiltered: Bool

    var node: TreeNode { ordered.node }

    func isComplete(for key: TreeKey) -> Bool { isComplete && !isFiltered || node.has(key) }

    func isComplete(at keys: TreeKeys) -> Bool {
        keys.first.map { isComplete(for: $0) } ?? (isComplete && !isFiltered)
    }
}
