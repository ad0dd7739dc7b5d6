/// Several writes as one: the resulting node at each path that they write completely, a later write laid over an
/// earlier one. The result of a partial write depends on the node before it, see ``LocalWrites``.
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

    /// The topmost path on the way, or the path itself, whose node does not depend on its siblings.
    func keysOfWhole(on keys: TreeKeys) -> TreeKeys {
        tree.rootmost(on: keys).map { keys.dropLast($0.rest.count) } ?? keys
    }

    /// Removes the writes at a path and below it.
    mutating func remove(at keys: TreeKeys) { tree.set(keys, PathTree()) }

    /// The node at a path that does not depend on the node before; nil if it is not known.
    func completeNode(at keys: TreeKeys) -> TreeNode? {
        tree.rootmost(on: keys).map { $0.value[$0.rest] }
    }

    /// The complete children, in the order of their keys.
    var completeChildren: [(key: TreeKey, node: TreeNode)] {
        if let node = tree.value { return node.children.map { ($0.key, $0.value) } }
        return tree.children.compactMap { child in child.value.value.map { (child.key, $0) } }
    }

    /// The writes at a path and below it.
    func at(_ keys: TreeKeys) -> CompoundWrite {
        CompoundWrite(completeNode(at: keys).map { PathTree($0) } ?? tree[keys])
    }
}
