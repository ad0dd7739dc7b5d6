/// Decodes nodes from bytes. Rejects nodes that a tree cannot contain, such as one with an invalid key.
struct NodeReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> TreeNode? {
        var reader = NodeReader(bytes)
        let node = reader.node(depth: 0)
        return reader.offset == bytes.count ? node : nil
    }

    /// Decodes children whose bytes `skipChildren` has checked.
    ///
    /// - Parameter depth: the depth of the children's parent; 0 for the root.
    static func children(_ bytes: [UInt8], depth: Int) -> SortedMap<TreeKey, TreeNode> {
        bytes.withUnsafeBufferPointer { bytes in
            var reader = NodeReader(bytes)
            return reader.childCount().flatMap { reader.children($0, depth: depth) } ?? SortedMap()
        }
    }

    private mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
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

    private mutating func childCount() -> Int? {
        // Each child has at least two bytes. This check prevents that a wrong count allocates too much memory.
        guard let count = count(), count > 0, count <= (bytes.count - offset) / 2 else { return nil }
        return count
    }

    private mutating func children(depth: Int, priority: TreeLeaf?) -> TreeNode? {
        let start = offset
        guard let count = childCount() else { return nil }
        // The children of the root are decoded immediately, because each caller reads them. Many children of another
        // node are decoded at the first access (`PackedChildren`).
        guard count >= PackedChildren.countMin, depth > 0 else {
            return children(count, depth: depth).map { TreeNode($0, priority: priority) }
        }
        guard skipChildren(count, depth: depth) else { return nil }
        return TreeNode(PackedChildren(Array(bytes[start..<offset]), depth: depth), priority: priority)
    }

    private mutating func children(_ count: Int, depth: Int) -> SortedMap<TreeKey, TreeNode>? {
        var last: TreeKey?
        return SortedMap(count: count) {
            guard let key = key(after: last), let child = node(depth: depth + 1), !child.isEmpty else { return nil }
            last = key
            return (key, child)
        }
    }

    private mutating func key(after last: TreeKey?) -> TreeKey? {
        guard let name = text() else { return nil }
        let key = TreeKey(name)
        return key.isAllowed && last.map { $0 < key } ?? true ? key : nil
    }

    private mutating func leaf(_ kind: UInt8) -> TreeLeaf? {
        switch kind {
        case NodeTag.no: return .bool(false)
        case NodeTag.yes: return .bool(true)
        case NodeTag.number:
            guard bytes.count - offset >= 8 else { return nil }
            var pattern: UInt64 = 0
            for index in 0..<8 { pattern |= UInt64(bytes[offset + index]) << UInt64(index * 8) }
            offset += 8
            let number = Double(bitPattern: pattern)
            return number.isFinite ? .number(number) : nil
        case NodeTag.text: return text().map { .text($0) }
        case NodeTag.timestamp: return .serverTimestamp
        default: return nil
        }
    }

    private mutating func text() -> String? {
        guard let bytes = textBytes() else { return nil }
        // `String` replaces invalid UTF-8, so the text then differs from the bytes. This comparison is several times
        // faster than the library's check.
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.isASCII || text.utf8.elementsEqual(bytes) ? text : nil
    }

    private mutating func textBytes() -> UnsafeBufferPointer<UInt8>? {
        guard let count = count(), count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return UnsafeBufferPointer(rebasing: bytes[offset..<offset + count])
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

    // MARK: Skipping

    /// Checks the bytes of children without creating nodes.
    ///
    /// - Returns: true if ``children(_:depth:)`` can decode the skipped bytes.
    private mutating func skipChildren(_ count: Int, depth: Int) -> Bool {
        var last: TreeKey?
        for _ in 0..<count {
            guard let key = key(after: last), skipChild(depth: depth + 1) else { return false }
            last = key
        }
        return true
    }

    private mutating func skipChild(depth: Int) -> Bool {
        guard depth <= TreeLimits.depthMax, let tag = byte() else { return false }
        if tag & NodeTag.hasPriority != 0 {
            guard let kind = byte(), skipLeaf(kind) else { return false }
        }
        switch tag & ~NodeTag.hasPriority {
        case NodeTag.children: return childCount().map { skipChildren($0, depth: depth) } ?? false
        case let kind: return skipLeaf(kind)
        }
    }

    private mutating func skipLeaf(_ kind: UInt8) -> Bool {
        guard kind == NodeTag.text else { return leaf(kind) != nil }
        let start = offset
        guard let bytes = textBytes() else { return false }
        if bytes.isASCII { return true }
        offset = start
        return text() != nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isASCII: Bool { reduce(0, |) < 0x80 }
}
