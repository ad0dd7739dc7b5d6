// Nodes as few bytes, for a device and for recordings of what one holds: read in one pass, in the order of the children.

extension TreeNode {
    /// The node in bytes, as ``init(bytes:)`` reads it.
    public var bytes: [UInt8] {
        var writer = NodeWriter()
        writer.add(self)
        return writer.bytes
    }

    /// - Returns: nil for bytes that are no node, or one that no tree could hold.
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

/// What a node begins with; the bit for a priority, which comes before the rest, is added.
private enum NodeTag {
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

private struct NodeReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var place = 0

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> TreeNode? {
        var reader = NodeReader(bytes: bytes)
        let node = reader.node(depth: 0)
        return reader.place == bytes.count ? node : nil
    }

    private mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func node(depth: Int) -> TreeNode? {
        guard depth <= TreeLimits.depthMax, let tag = byte() else { return nil }
        var priority: TreeLeaf?
        if tag & NodeTag.hasPriority != 0 {
            guard let kind = byte(), let leaf = leaf(kind) else { return nil }
            priority = leaf
        }
        switch tag & ~NodeTag.hasPriority {
        case NodeTag.empty: return priority == nil ? .empty : nil
        case NodeTag.children: return children(depth: depth, priority: priority)
        case let kind: return leaf(kind).map { TreeNode($0, priority: priority) }
        }
    }

    private mutating func children(depth: Int, priority: TreeLeaf?) -> TreeNode? {
        // Each takes two bytes at least, so that no number in it makes anything larger than it is.
        guard let count = count(), count > 0, count <= (bytes.count - place) / 2 else { return nil }
        var last: TreeKey?
        let children = SortedMap<TreeKey, TreeNode>(count: count) {
            guard let name = text() else { return nil }
            let key = TreeKey(name)
            guard key.isAllowed, last.map({ $0 < key }) ?? true, let child = node(depth: depth + 1), !child.isEmpty
            else { return nil }
            last = key
            return (key, child)
        }
        return children.map { TreeNode($0, priority: priority) }
    }

    private mutating func leaf(_ kind: UInt8) -> TreeLeaf? {
        switch kind {
        case NodeTag.no: return .bool(false)
        case NodeTag.yes: return .bool(true)
        case NodeTag.number:
            guard bytes.count - place >= 8 else { return nil }
            var pattern: UInt64 = 0
            for index in 0..<8 { pattern |= UInt64(bytes[place + index]) << UInt64(index * 8) }
            place += 8
            let number = Double(bitPattern: pattern)
            return number.isFinite ? .number(number) : nil
        case NodeTag.text: return text().map { .text($0) }
        case NodeTag.timestamp: return .serverTimestamp
        default: return nil
        }
    }

    private mutating func text() -> String? {
        guard let count = count(), count <= bytes.count - place else { return nil }
        defer { place += count }
        let bytes = UnsafeBufferPointer(rebasing: bytes[place..<place + count])
        // What is no UTF-8 is repaired, and differs. The library's own check costs a multiple of the rest.
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.isASCII || text.utf8.elementsEqual(bytes) ? text : nil
    }

    private mutating func count() -> Int? {
        var (count, shift) = (0, 0)
        while let next = byte() {
            guard shift <= 28 else { return nil }
            count |= Int(next & 0x7f) << shift
            if next < 0x80 { return count }
            shift += 7
        }
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isASCII: Bool { reduce(0, |) < 0x80 }
}
