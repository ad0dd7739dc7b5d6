/// A change of one child of a node.
enum ChildChange: Hashable, Sendable {
    case added(TreeKey, TreeNode)
    case removed(TreeKey, TreeNode)
    case changed(TreeKey, TreeNode, from: TreeNode)

    var key: TreeKey {
        switch self {
        case .added(let key, _), .removed(let key, _), .changed(let key, _, _): key
        }
    }
}

/// The changes of children that result from one operation. Several changes of one child become one, or none.
struct ChildChanges: Sendable {
    private var changes = SortedMap<TreeKey, ChildChange>()

    var isEmpty: Bool { changes.isEmpty }
    /// The changes, in the order of the children's keys.
    var all: [ChildChange] { changes.map(\.value) }

    /// Adds the change of a child from one node to another. At most one of them is empty.
    mutating func add(_ key: TreeKey, from old: TreeNode, to new: TreeNode) {
        if new.isEmpty {
            add(.removed(key, old))
        } else {
            add(old.isEmpty ? .added(key, new) : .changed(key, new, from: old))
        }
    }

    mutating func add(_ change: ChildChange) {
        let key = change.key
        switch (changes[key], change) {
        case (.removed(_, let old)?, .added(_, let new)), (.changed(_, _, let old)?, .changed(_, let new, _)):
            // If the child has its initial value again, the changes cancel each other.
            if new == old { changes.remove(key) } else { changes.set(key, .changed(key, new, from: old)) }
        case (.added?, .removed): changes.remove(key)
        case (.changed(_, _, let old)?, .removed): changes.set(key, .removed(key, old))
        case (.added?, .changed(_, let new, _)): changes.set(key, .added(key, new))
        default: changes.set(key, change)
        }
    }
}
