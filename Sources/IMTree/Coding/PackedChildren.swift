import Synchronization

/// Children as stored bytes, decoded at the first access. A new process does not use most of its data for long, and
/// making and freeing the nodes would take most of the time to the first event.
final class PackedChildren: Sendable {
    /// Fewer children are decoded at once.
    static let countMin = 32

    /// As skipped by ``NodeReader``.
    private let bytes: [UInt8]
    private let depth: Int
    private let read = AtomicLazyReference<Read>()

    private final class Read: Sendable {
        let children: SortedMap<TreeKey, TreeNode>

        init(_ children: SortedMap<TreeKey, TreeNode>) { self.children = children }
    }

    /// - Parameters:
    ///   - bytes: the number of children, and each of them.
    ///   - depth: the depth of their parent.
    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The children, decoded at the first use. If two threads decode them at the same time, one result is discarded.
    var children: SortedMap<TreeKey, TreeNode> {
        if let known = read.load() { return known.children }
        return read.storeIfNil(Read(NodeReader.children(bytes, depth: depth))).children
    }
}
