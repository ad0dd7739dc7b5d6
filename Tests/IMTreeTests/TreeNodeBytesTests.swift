import IMTree
import SansIO
import Testing

/// Tests of nodes in a device's storage. Long children below the root remain encoded until they are read.
@Suite struct TreeNodeBytesTests {
    private var random = SeededRandom(seed: 1)

    private mutating func leaf() -> TreeLeaf {
        switch random.below(5) {
        case 0: .bool(random.below(2) == 0)
        case 1: .number(Double(random.below(1000)) / 4)
        case 2: .serverTimestamp
        case 3: .text("words, 词语 and \u{FFFD}")
        default: .text("")
        }
    }

    private mutating func node(depth: Int, children: Int) -> TreeNode {
        let priority = random.below(4) == 0 ? leaf() : nil
        guard depth > 0 else { return TreeNode(leaf(), priority: priority) }
        var node = TreeNode.empty
        for index in 0..<children {
            let key = TreeKey(index % 3 == 0 ? "\(index)" : index % 3 == 1 ? "键\(index)" : "key \(index)")
            node = node.setting(key, to: self.node(depth: depth - 1, children: max(children / 2, 1)))
        }
        return node.with(priority: priority)
    }

    private func wrapped(_ node: TreeNode) -> TreeNode { TreeNode.empty.setting("long", to: node) }

    /// The bytes of a node with one child. The argument has the bytes of the child.
    private func wrapped(_ bytes: [UInt8]) -> [UInt8] { [6, 1, 4] + "long".utf8 + bytes }

    @Test mutating func isReadUnchanged() throws {
        for children in [1, 31, 32, 70] {
            let node = wrapped(node(depth: 3, children: children))
            let read = try #require(TreeNode(bytes: node.bytes))
            let copy = read
            #expect(read == copy && read == node && read.hashValue == node.hashValue)
            #expect(read.bytes == node.bytes && read.hash == node.hash && read.weight == node.weight)
            #expect(try #require(TreeNode(bytes: node.bytes))["long"].children.count == children)
            let one = try #require(TreeNode(bytes: node.bytes)), other = try #require(TreeNode(bytes: node.bytes))
            #expect(one == other)
            #expect(one.setting(["long", "0"], to: .empty) != other)
        }
    }

    /// Invalid bytes of a child that is not read are refused at once, and valid bytes can be read later.
    @Test mutating func isRefusedWithoutReading() {
        let bytes = node(depth: 2, children: 40).bytes
        #expect(TreeNode(bytes: bytes) != nil)
        for _ in 0..<3000 {
            var broken = bytes
            let byteIndex = Int(random.below(UInt64(bytes.count)))
            switch random.below(3) {
            case 0: broken[byteIndex] = UInt8(random.below(256))
            case 1: broken[byteIndex] ^= 1 << UInt8(random.below(8))
            default: broken.removeLast(byteIndex)
            }
            let (plain, passedOver) = (TreeNode(bytes: broken), TreeNode(bytes: wrapped(broken)))
            #expect(passedOver == plain.flatMap { $0.isEmpty ? nil : wrapped($0) })
        }
    }

    @Test func readsNoDeeperThanATree() {
        var node = TreeNode(.bool(true))
        for _ in 0..<TreeLimits.depthMax {
            node = (0..<40).reduce(TreeNode.empty.setting("a", to: node)) {
                $0.setting(TreeKey("\($1)"), to: TreeNode(.bool(false)))
            }
        }
        #expect(TreeNode(bytes: node.bytes) == node)
        #expect(TreeNode(bytes: wrapped(node.bytes)) == nil)
    }
}
