import Synchronization

/// Children as the bytes that a device holds, until somebody looks at them: of what a process begins with most is not
/// looked at for long, and making and freeing its nodes would take most of the time to the first event.
final class PackedChildren: Sendable {
    /// So many children at least are worth it.
    static let countMin = 32

    /// As ``NodeReader`` has passed over them.
    private let bytes: [UInt8]
    private let depth: Int
    private let read = AtomicLazyReference<Read>()

    private final class Read: Sendable {
        let children: SortedMap<TreeKey, TreeNode>

        init(_ children: SortedMap<TreeKey, TreeNode>) { self.children = children }
    }

    /// - Parameters:
    ///   - bytes: how many children there are, and each of them.
    ///   - depth: of the place that they are the children of.
    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The same each time. Where two threads read them at once, one of them has done so in vain.
    var children: SortedMap<TreeKey, TreeNode> {
        if let known = read.load() { return known.children }
        return read.storeIfNil(Read(NodeReader.children(bytes, depth: depth))).children
    }
}
