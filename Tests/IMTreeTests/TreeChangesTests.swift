import IMTree
import SansIO
import Testing

@Suite struct TreeChangesTests {
    private let keys: [TreeKey] = ["a", "b", "c", "d", "e", "f", "g", "h"]

    @Test("SYNC-4: the changes between two trees, applied to the older one, give the newer one", arguments: 0..<50)
    func changes(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var tree = TreeNode.empty
        for _ in 0..<60 {
            let old = tree
            for _ in 0...random.below(4) {
                let path = (0...random.below(3)).map { _ in keys[Int(random.below(8))] }
                let leaf = TreeNode(.number(Double(random.below(10))))
                switch random.below(4) {
                case 0: tree = tree.setting(path[...], to: .empty)
                case 1: tree = tree.setting(path[...], to: tree[path[...]].with(priority: .number(1)))
                default: tree = tree.setting(path[...], to: leaf)
                }
            }
            let changes = tree.changes(since: old)
            #expect(changes.reduce(old) { $0.setting($1.keys[...], to: $1.node) } == tree)
            #expect(changes.isEmpty == (tree == old))
        }
    }

    @Test("SYNC-4: one write among many nodes is one change")
    func oneChange() {
        var tree = TreeNode.empty
        for number in 0..<1000 { tree = tree.setting(["list", TreeKey("n\(number)")], to: TreeNode(.number(1))) }
        let changed = tree.setting(["list", "n500", "name"], to: TreeNode(.text("x")))
        #expect(changed.changes(since: tree).map(\.keys) == [["list", "n500"]])
        #expect(tree.changes(since: tree).isEmpty)
    }
}
