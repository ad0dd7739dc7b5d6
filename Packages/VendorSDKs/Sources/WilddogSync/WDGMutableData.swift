import Foundation
import IMProtocol
import IMTree

/// The value at a path while a transaction's block runs, and its new value.
public final class WDGMutableData: NSObject {
    /// The data that all views of one transaction share.
    private final class Root {
        var node: TreeNode
        let refused: (String) -> Void

        init(_ node: TreeNode, _ refused: @escaping (String) -> Void) {
            self.node = node
            self.refused = refused
        }
    }

    private let root: Root
    /// Below the path that the block received.
    private let keys: [TreeKey]
    /// The last key of the path. Nil for the root of the tree.
    public let key: String?

    /// - Parameter refused: called with a value that no tree can hold; nothing changes then.
    init(_ node: TreeNode, key: String?, refused: @escaping (String) -> Void) {
        root = Root(node, refused)
        keys = []
        self.key = key
    }

    private init(_ root: Root, _ keys: [TreeKey], key: String?) {
        self.root = root
        self.keys = keys
        self.key = key
    }

    var node: TreeNode {
        get { root.node[keys[...]] }
        set { root.node = root.node.setting(keys[...], to: newValue) }
    }

    /// Nothing, a boolean or a number, a text, a list or a dictionary. Setting it removes the priority.
    public var value: Any? {
        get { node.value(isExport: false) }
        set { change { try TreeNode(newValue) } }
    }

    /// The priority among its siblings.
    public var priority: Any? {
        get { node.priority?.value }
        set { change { node.with(priority: try TreeLeaf(priority: newValue)) } }
    }

    private func change(_ node: () throws -> TreeNode) {
        do {
            self.node = try node()
        } catch {
            root.refused((error as? NoTreeValue)?.text ?? "\(error)")
        }
    }

    /// True if there are children.
    public func hasChildren() -> Bool { !node.children.isEmpty }

    /// The number of children.
    public var childrenCount: UInt { UInt(node.children.count) }

    /// The children, in the order of their priorities.
    public var children: NSEnumerator {
        let children = node.children(in: .priority).map { WDGMutableData(root, keys + [$0.key], key: $0.key.text) }
        return NSArray(array: children).objectEnumerator()
    }

    /// True if there is a value at a path below.
    public func hasChild(atPath path: String) -> Bool {
        let keys = [TreeKey](path: path)
        return keys.last != .priority && !node[keys[...]].isEmpty
    }

    /// A path below, for reading and changing.
    public func childData(byAppendingPath path: String) -> WDGMutableData {
        let below = [TreeKey](path: path)
        return WDGMutableData(root, keys + below, key: below.last?.text ?? key)
    }
}

/// The result of a transaction's block.
public final class WDGTransactionResult: NSObject {
    /// The new value. Nil to abort.
    let node: TreeNode?

    private init(_ node: TreeNode?) { self.node = node }

    /// Writes the data.
    public class func success(withValue value: WDGMutableData) -> WDGTransactionResult {
        WDGTransactionResult(value.node)
    }

    /// Aborts: nothing is written.
    public class func abort() -> WDGTransactionResult { WDGTransactionResult(nil) }
}
