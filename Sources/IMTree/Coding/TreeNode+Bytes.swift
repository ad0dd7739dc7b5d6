// A compact encoding of nodes, for the storage of devices and the recordings of its contents. It is read in one pass,
// in the order of the children.

extension TreeNode {
    /// The node as bytes. ``init(bytes:)`` reads them.
    public var bytes: [UInt8] {
        var writer = NodeWriter()
        writer.add(self)
        return writer.bytes
    }

    /// - Returns: nil if the bytes are not a node, or if a tree cannot contain the node.
    public init?(bytes: some Collection<UInt8>) {
        let read: TreeNode??
        if let contiguous = bytes.withContiguousStorageIfAvailable({ NodeReader.read($0) }) {
            read = contiguous
        } else {
            read = Array(bytes).withUnsafeBufferPointer { NodeReader.read($0) }
        }
        guard case .some(let node?) = read else { return nil }
        self = node
    }
}

/// The first byte of a node. If the node has a priority, `hasPriority` is added and the priority follows it.
enum NodeTag {
    static let empty: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let number: UInt8 = 3
    static let text: UInt8 = 4
    static let timestamp: UInt8 = 5
    static let children: UInt8 = 6
    static let hasPriority: UInt8 = 0x80
}

private struct NodeWriter {
    var bytes: [UInt8] = []

    mutating func add(_ node: TreeNode) {
        let tag =
            switch node.content {
            case .empty: NodeTag.empty
            case .leaf(let leaf): NodeWriter.tag(of: leaf)
            case .children: NodeTag.children
            }
        bytes.append(node.priority == nil ? tag : tag | NodeTag.hasPriority)
        if let priority = node.priority {
            bytes.append(NodeWriter.tag(of: priority))
            add(priority)
        }
        switch node.content {
        case .empty: break
        case .leaf(let leaf): add(leaf)
        case .children(let children):
            add(count: children.count)
            for (key, child) in children {
                add(key.text)
                add(child)
            }
        }
    }

    private static func tag(of leaf: TreeLeaf) -> UInt8 {
        switch leaf {
        case .bool(let flag): flag ? NodeTag.yes : NodeTag.no
        case .number: NodeTag.number
        case .text: NodeTag.text
        case .serverTimestamp: NodeTag.timestamp
        }
    }

    private mutating func add(_ leaf: TreeLeaf) {
        switch leaf {
        case .bool, .serverTimestamp: break
        case .number(let number):
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(shift)))
            }
        case .text(let text): add(text)
        }
    }

    private mutating func add(_ text: String) {
        add(count: text.utf8.count)
        bytes += text.utf8
    }

    private mutating func add(count: Int) {
        var rest = count
        while rest > 0x7f {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
