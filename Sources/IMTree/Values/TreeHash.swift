/// A hash of a node, including its priorities: 64-bit FNV-1a. Client and server compare hashes so that they do not have
/// to send data that the other already has.
public struct TreeHash: RawRepresentable, Hashable, Sendable, Codable {
    public private(set) var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    fileprivate init() { rawValue = 0xcbf2_9ce4_8422_2325 }

    fileprivate mutating func add(_ byte: UInt8) { rawValue = (rawValue ^ UInt64(byte)) &* 0x100_0000_01b3 }

    fileprivate mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    fileprivate mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        for byte in text.utf8 { add(byte) }
    }

    fileprivate mutating func add(_ leaf: TreeLeaf?) {
        switch leaf {
        case nil: add(0 as UInt8)
        case .bool(let flag)?: add(flag ? 2 : 1 as UInt8)
        case .number(let number)?:
            add(3 as UInt8)
            // Positive and negative zero are equal numbers, so they get the same hash.
            add(number == 0 ? 0 : number.bitPattern)
        case .text(let text)?:
            add(4 as UInt8)
            add(text)
        case .serverTimestamp?: add(5 as UInt8)
        }
    }

    fileprivate mutating func add(_ node: TreeNode) {
        add(node.priority)
        if let leaf = node.leaf { return add(leaf) }
        add(6 as UInt8)
        add(UInt64(node.children.count))
        for (key, child) in node.children {
            add(key.text)
            add(child)
        }
    }
}

extension TreeNode {
    public var hash: TreeHash {
        var hash = TreeHash()
        hash.add(self)
        return hash
    }
}
