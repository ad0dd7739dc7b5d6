import Testing

@testable import IMTree

@Suite struct TreeOrderTests {
    /// Keys that are 32-bit integers come first, ordered by value. Of two keys with the same value, the shorter comes
    /// first. All other keys are ordered by their bytes.
    @Test func keysHaveTheVendorsOrder() {
        let keys = [
            "-2147483648", "-1", "0", "00", "1", "01", "2", "10", "2147483647", "-2147483649", "2147483648", "A", "a",
            "aa",
            "é", "中", "😀",
        ]
        #expect(keys.map { TreeKey($0) }.sorted().map(\.text) == keys)
        // The keys look the same, but their bytes differ.
        #expect(TreeKey("\u{E9}") != TreeKey("e\u{301}"))
    }

    @Test func valuesHaveTheVendorsOrder() {
        let values: [TreeNode] = [
            .empty, TreeNode(.bool(false)), TreeNode(.bool(true)), TreeNode(.number(-1)), TreeNode(.number(2)),
            TreeNode(.text("")), TreeNode(.text("a")), TreeNode.empty.setting("x", to: TreeNode(.bool(true))),
        ]
        let sorted = values.map { SortValue($0) }
        for (lower, higher) in zip(sorted, sorted.dropFirst()) { #expect(lower < higher) }
        let other = TreeNode.empty.setting("y", to: TreeNode(.number(1)))
        #expect(SortValue(other) == sorted[7])
    }

    /// A node that loses its last child is empty, and an empty node has no priority.
    @Test func anEmptyNodeHasNoPriority() {
        let node = TreeNode(.number(1), priority: .number(5))
        let parent = TreeNode.empty.setting("a", to: node).with(priority: .text("high"))
        #expect(parent.setting("a", to: .empty).isEmpty)
        #expect(parent.setting("a", to: .empty).priority == nil)
        #expect(TreeNode.empty.with(priority: .number(1)) == .empty)
        // A leaf passes its priority to the node that replaces it.
        #expect(node.setting("b", to: TreeNode(.bool(true))).priority == .number(5))
        #expect(node.setting("b", to: .empty) == node)
    }

    @Test func differentNodesHaveDifferentHashes() {
        let one = TreeNode.empty.setting("a", to: TreeNode(.number(1)))
        #expect(one.hash == TreeNode.empty.setting("a", to: TreeNode(.number(1))).hash)
        let others = [
            TreeNode.empty, TreeNode(.number(1)), TreeNode(.text("1")), one.with(priority: .number(1)),
            TreeNode.empty.setting("b", to: TreeNode(.number(1))), one.setting("b", to: TreeNode(.bool(true))),
            TreeNode.empty.setting("a", to: TreeNode(.number(1), priority: .bool(false))),
        ]
        for other in others { #expect(other.hash != one.hash) }
        #expect(TreeNode(.number(0)).hash == TreeNode(.number(-0.0)).hash)
    }

    @Test func serverTimeReplacesItsPlaceholders() {
        let node = TreeNode.empty.setting("at", to: TreeNode(.serverTimestamp))
            .setting("b", to: TreeNode(.number(1), priority: .serverTimestamp))
        #expect(node.hasServerTimestamp)
        let resolved = node.resolved(at: 5)
        #expect(!resolved.hasServerTimestamp)
        #expect(resolved["at"].leaf == .number(5) && resolved["b"].priority == .number(5))
        #expect(node.description == #"{"at":{".sv":"timestamp"},"b":{".value":1,".priority":{".sv":"timestamp"}}}"#)
    }
}
