import Foundation
import IMProtocol
import IMTree

/// The value at a path when a block was called. It does not change any more.
public final class WDGDataSnapshot: NSObject, @unchecked Sendable {
    private let node: TreeNode
    private let treePath: [TreeKey]
    private let order: TreeOrder
    /// Used on the job thread of virtual time alone; everything else is constant.
    private let shared: WDGSync

    init(_ node: TreeNode, at treePath: [TreeKey], _ order: TreeOrder = .priority, of sync: WDGSync) {
        self.node = node
        self.treePath = treePath
        self.order = order
        shared = sync
    }

    /// The reference at its path.
    public var ref: WDGSyncReference { WDGSyncReference(treePath, of: shared) }

    /// The last key of the path; empty for the root.
    public var key: String { treePath.last?.text ?? "" }

    /// True if there is a value.
    public func exists() -> Bool { !node.isEmpty }

    /// Nothing, a boolean or a number, a text, a list or a dictionary.
    public var value: Any? { node.value(isExport: false) }

    /// The value including priorities, so that it can be written back.
    public func valueInExportFormat() -> Any? { node.value(isExport: true) }

    /// The priority among its siblings.
    public var priority: Any? { node.priority?.value }

    /// The snapshot of a path below.
    public func childSnapshot(forPath childPathString: String) -> WDGDataSnapshot {
        let keys = [TreeKey](path: childPathString)
        return WDGDataSnapshot(node[keys[...]], at: treePath + keys, of: shared)
    }

    /// True if there is a value at a path below.
    public func hasChild(_ childPathString: String) -> Bool {
        let keys = [TreeKey](path: childPathString)
        return keys.last != .priority && !node[keys[...]].isEmpty
    }

    /// True if there are children.
    public func hasChildren() -> Bool { !node.children.isEmpty }

    /// The number of children.
    public var childrenCount: UInt { UInt(node.children.count) }

    /// A snapshot of each, in the order of the query.
    public var children: NSEnumerator {
        let children = node.children(in: order).map { WDGDataSnapshot($0.node, at: treePath + [$0.key], of: shared) }
        return NSArray(array: children).objectEnumerator()
    }
}
