extension TreeNode {
    /// The parts in which the node differs from an older node, removals last. Setting the parts in the older node, one
    /// after the other, results in this node. The time depends on the number of differences, not on the nodes.
    public func changes(since old: TreeNode) -> [TreeWrite.Part] {
        var parts: [TreeWrite.Part] = []
        addChanges(since: old, at: [], to: &parts)
        return parts.filter { !$0.node.isEmpty } + parts.filter(\.node.isEmpty)
    }

    private func addChanges(since old: TreeNode, at keys: [TreeKey], to parts: inout [TreeWrite.Part]) {
        if isIdentical(to: old) { return }
        guard !children.isEmpty, !old.children.isEmpty, priority == old.priority else {
            if self != old { parts.append(TreeWrite.Part(keys, self)) }
            return
        }
        children.forEachDifference(from: old.children) { key, old, new in
            (new ?? .empty).addChanges(since: old ?? .empty, at: keys + [key], to: &parts)
        }
    }
}
