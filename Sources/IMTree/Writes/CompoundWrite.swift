/// Several writes combined into one: the resulting node at each path that a write sets completely. Later writes replace
/// earlier ones. ``LocalWrites`` also handles the effect on partly written nodes, which depends on the server's node.
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

    /// The highest path, at or above `keys`, at which a write sets the node; `keys` if there is none.
    func keysOfWhole(on keys: TreeKeys) -> TreeKeys {
        tree.rootmost(on: keys).map { keys.dropLast($0.rest.count) } ?? keys
    }

    /// Removes the nodes that are set at a path and below it.
    mutating func remove(at keys: TreeKeys) { tree.set(keys, PathTree()) }

    /// The node at a path if a write sets it completely, at the path or above; nil if not.
    func completeNode(at keys: TreeKeys) -> TreeNode? {
        tree.rootmost(on: keys).map { $0.value[$0.rest] }
    }

    /// The children that are set completely, in the order of their keys.
    var completeChildren: [(key: TreeKey, node: TreeNode)] {
        if let node = tree.value { return node.children.map { ($0.key, $0.value) } }
        return tree.children.compactMap { child in child.value.value.map { (child.key, $0) } }
    }

    /// The writes relative to a path: those that set the path or a node below it.
    func at(_ keys: TreeKeys) -> CompoundWrite {
        CompoundWrite(completeNode(at: keys).map { PathTree($0) } ?? tree[keys])
    }
}
