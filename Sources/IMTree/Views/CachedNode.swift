/// A node as far as it is known.
struct CachedNode: Sendable, Hashable, Codable {
    var ordered: OrderedNode
    /// Whether all is known that is to be known here: of a query, what it gives.
    var isComplete: Bool
    /// Whether a query has left something out, so that a child which is not here may be there.
    var isFiltered: Bool

    var node: TreeNode { ordered.node }

    func isComplete(for key: TreeKey) -> Bool { isComplete && !isFiltered || node.has(key) }

    func isComplete(at keys: TreeKeys) -> Bool {
        keys.first.map { isComplete(for: $0) } ?? (isComplete && !isFiltered)
    }
}
