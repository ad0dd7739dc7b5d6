extension TreeNode {
    /// Whether the server's time is to be put somewhere in it.
    public var hasServerTimestamp: Bool {
        priority == .serverTimestamp || leaf == .serverTimestamp || children.contains { $0.value.hasServerTimestamp }
    }

    /// With the server's time in its places (SYNC-7).
    ///
    /// - Parameter milliseconds: since 1970; the client's estimate, or what the server's own clock says.
    public func resolved(at milliseconds: Double) -> TreeNode {
        guard hasServerTimestamp else { return self }
        let own = priority == .serverTimestamp ? .number(milliseconds) : priority
        if let leaf { return TreeNode(leaf == .serverTimestamp ? .number(milliseconds) : leaf, priority: own) }
        let resolved = children.map { (key: $0.key, value: $0.value.resolved(at: milliseconds)) }
        return TreeNode(SortedMap(ascending: resolved), priority: own)
    }
}
