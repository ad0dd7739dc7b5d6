extension TreeNode {
    /// True if it contains a timestamp for the server's time.
    public var hasServerTimestamp: Bool {
        priority == .serverTimestamp || leaf == .serverTimestamp || children.contains { $0.value.hasServerTimestamp }
    }

    /// The node with its timestamps replaced by the server's time (SYNC-7).
    ///
    /// - Parameter milliseconds: since 1970; the client's estimate, or the server's own clock.
    public func resolved(at milliseconds: Double) -> TreeNode {
        guard hasServerTimestamp else { return self }
        let own = priority == .serverTimestamp ? .number(milliseconds) : priority
        if let leaf { return TreeNode(leaf == .serverTimestamp ? .number(milliseconds) : leaf, priority: own) }
        let resolved = children.map { (key: $0.key, value: $0.value.resolved(at: milliseconds)) }
        return TreeNode(SortedMap(ascending: resolved), priority: own)
    }
}
