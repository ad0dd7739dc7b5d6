import Synchronization

/// The children of a node as bytes, which are decoded at the first access. A new process reads all stored data but uses
/// little of it. Creating and freeing all nodes would take most of the time until the first event.
final class PackedChildren: Sendable {
    /// A node with fewer children is decoded immediately.
    static let countMin = 32

    /// The bytes of the children, which ``NodeReader`` has checked.
    private let bytes: [UInt8]
    private let depth: Int
    private let decoded = AtomicLazyReference<Decoded>()

    private final class Decoded: Sendable {
        let children: SortedMap<TreeKey, TreeNode>

        init(_ children: SortedMap<TreeKey, TreeNode>) { self.children = children }
    }

    /// - Parameters:
    ///   - bytes: the number of children, followed by each child.
    ///   - depth: the depth of the children's parent.
    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The children. The first access decodes them. If two threads do so at the same time, one result is discarded.
    var children: SortedMap<TreeKey, TreeNode> {
        if let decoded = decoded.load() { return decoded.children }
        return decoded.storeIfNil(Decoded(NodeReader.children(bytes, depth: depth))).children
    }
}
