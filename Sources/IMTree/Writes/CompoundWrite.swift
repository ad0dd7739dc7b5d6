/// Several writes as one: what they leave at each place of which they say everything, a later one laid over an earlier
/// one. What they leave where they say only a part depends on what stood there before, see ``LocalWrites``.
struct CompoundWrite: Sendable, Hashable {
    private var tree = PathTree<TreeNode>()

    init() {}

    private init(_ tree: PathTree<TreeNode>) { self.tree = tree }

    var isEmpty: Bool { tree.isEmpty }

    mutating func add(_ node: TreeNode, at keys: TreeKeys) {
        if let (value, rest) = tree.rootmost(on: keys) {
            tree.change(keys.dropLast(rest.count)) { $0.value = value.setting(rest, to: node) }
        } else {
            tree.set(keys, PathTree(node))
        }
    }

    /// The place on the way to another, or that one, at and below which nothing hangs together with what is beside it.
    func keysOfWhole(on keys: TreeKeys) -> TreeKeys {
        tree.rootmost(on: keys).map { keys.dropLast($0.rest.count) } ?? keys
    }

    /// Takes away what was written at a place and below it.
    mutating func remove(at keys: TreeKeys) { tree.set(keys, PathTree()) }

    /// What stands at a place whatever stood there before; nil where that is not known.
    func completeNode(at keys: TreeKeys) -> TreeNode? {
        tree.rootmost(on: keys).map { $0.value[$0.rest] }
    }

    /// The children of which the same is known, in the order of their keys.
    var completeChildren: [(key: TreeKey, node: TreeNode)] {
        if let node = tree.value { return node.children.map { ($0.key, $0.value) } }
        return tree.children.compactMap { child in child.value.value.map { (child.key, $0) } }
    }

    /// What was written at a place and below it.
    func at(_ keys: TreeKeys) -> CompoundWrite {
        CompoundWrite(completeNode(at: keys).map { PathTree($0) } ?? tree[keys])
    }
}
