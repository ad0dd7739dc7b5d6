/// A change of a child.
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

/// The changes of children in one operation. Several changes of one child become one, or none.
struct ChildChanges: Sendable {
    private var changes = SortedMap<TreeKey, ChildChange>()

    var isEmpty: Bool { changes.isEmpty }
    /// In the order of their keys.
    var all: [ChildChange] { changes.map(\.value) }

    mutating func add(_ change: ChildChange) {
        let key = change.key
        switch (changes[key], change) {
        case (.removed(_, let old)?, .added(_, let new)), (.changed(_, _, let old)?, .changed(_, let new, _)):
            // It is unchanged in the end.
            if new == old { changes.remove(key) } else { changes.set(key, .changed(key, new, from: old)) }
        case (.added?, .removed): changes.remove(key)
        case (.changed(_, _, let old)?, .removed): changes.set(key, .removed(key, old))
        case (.added?, .changed(_, let new, _)): changes.set(key, .added(key, new))
        default: changes.set(key, change)
        }
    }
}
