import Foundation
import IMProtocol
import IMTree

/// What stands at a place while a transaction's block runs, and what is to stand there.
public final class WDGMutableData: NSObject {
    /// What all that look into the same data share.
    private final class Root {
        var node: TreeNode
        let refused: (String) -> Void

        init(_ node: TreeNode, _ refused: @escaping (String) -> Void) {
            self.node = node
            self.refused = refused
        }
    }

    private let root: Root
    /// Below what the block was given.
    private let keys: [TreeKey]
    /// The last key on the way there; nil for the root of the tree.
    public let key: String?

    /// - Parameter refused: is told of a value that no tree can hold; nothing changes then.
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

    /// Nothing, a boolean or a number, a text, a list or a dictionary. Another one takes the priority with it.
    public var value: Any? {
        get { node.value(isExport: false) }
        set { change { try TreeNode(newValue) } }
    }

    /// What orders it among its siblings.
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

    /// Whether there are children.
    public func hasChildren() -> Bool { !node.children.isEmpty }

    /// How many there are.
    public var childrenCount: UInt { UInt(node.children.count) }

    /// The children, in the order of their priorities.
    public var children: NSEnumerator {
        let children = node.children(in: .priority).map { WDGMutableData(root, keys + [$0.key], key: $0.key.text) }
        return NSArray(array: children).objectEnumerator()
    }

    /// Whether there is anything at a place below.
    public func hasChild(atPath path: String) -> Bool {
        let keys = [TreeKey](path: path)
        return keys.last != .priority && !node[keys[...]].isEmpty
    }

    /// A place below, to be read and changed as this one.
    public func childData(byAppendingPath path: String) -> WDGMutableData {
        let below = [TreeKey](path: path)
        return WDGMutableData(root, keys + below, key: below.last?.text ?? key)
    }
}

/// What a transaction's block makes of the data.
public final class WDGTransactionResult: NSObject {
    /// What is to stand there; nil where nothing is to be done.
    let node: TreeNode?

    private init(_ node: TreeNode?) { self.node = node }

    /// The data is to stand there.
    public class func success(withValue value: WDGMutableData) -> WDGTransactionResult {
        WDGTransactionResult(value.node)
    }

    /// Nothing is to be done.
    public class func abort() -> WDGTransactionResult { WDGTransactionResult(nil) }
}
