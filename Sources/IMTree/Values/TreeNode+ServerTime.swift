extension TreeNode {
    /// True if the node contains a placeholder for the server's time.
    public var hasServerTimestamp: Bool {
        priority == .serverTimestamp || leaf == .serverTimestamp || children.contains { $0.value.hasServerTimestamp }
    }

    /// The node in which the server's time replaces its timestamps (SYNC-7).
    ///
    /// - Parameter milliseconds: the server's time in milliseconds since 1970, as the client estimates it or as the
    ///   server reads it from its clock.
    public func resolved(at milliseconds: Double) -> TreeNode {
        guard hasServerTimestamp else { return self }
        let own = priority == .serverTimestamp ? .number(milliseconds) : priority
        if let leaf { return TreeNode(leaf == .serverTimestamp ? .number(milliseconds) : leaf, priority: own) }
        let resolved = children.map { (key: $0.key, value: $0.value.resolved(at: milliseconds)) }
        return TreeNode(SortedMap(ascending: resolved), priority: own)
    }
}
