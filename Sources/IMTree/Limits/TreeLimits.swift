/// The limits of Wilddog's tree. The client refuses requests that exceed them (SYNC-10). The codes are Wilddog's.
public enum TreeLimits {
    /// The maximum length of a path, in UTF-8 bytes (code 26106).
    public static let pathBytesMax = 768
    /// The maximum number of keys from the root to a leaf (code 26106).
    public static let depthMax = 32
    /// The maximum size of a leaf, in UTF-8 bytes (code 26105).
    public static let leafBytesMax = 1 << 20
    /// The maximum size of one write, by ``TreeNode/weight`` (code 26104).
    public static let writeWeightMax = 2 << 20
    /// The maximum number of children of a query's result (code 26103).
    public static let queryCountMax = 500
}

/// The reason why a write or a query is refused.
public enum TreeValidationError: Hashable, Sendable {
    /// A path that is too deep or too long, or an invalid key (code 26106).
    case path
    /// A number that JSON cannot represent.
    case number
    /// A leaf that is too large (code 26105).
    case leaf
    /// A write that is too large (code 26104).
    case write
}

extension TreeKey {
    /// True for a valid key: 1 to 768 bytes, without control characters and characters that the vendor reserves.
    public var isAllowed: Bool {
        guard !text.isEmpty, text.utf8.count <= TreeLimits.pathBytesMax else { return false }
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case ..<0x20, 0x7F: return false
            case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "["),
                UInt8(ascii: "]"):
                return false
            // The control characters from U+0080 to U+009F.
            case 0x80...0x9F where last == 0xC2: return false
            default: last = byte
            }
        }
        return true
    }
}

extension TreeWrite.Change {
    /// The reason why the change cannot be written; nil if it can be.
    ///
    /// - Parameter depth: the number of keys in the path of the write.
    public func rejectionReason(depth: Int) -> TreeValidationError? {
        switch self {
        case .set(let node):
            return node.rejectionReason(depth: depth) ?? (node.weight > TreeLimits.writeWeightMax ? .write : nil)
        case .update(let parts):
            for part in parts {
                let keys = part.keys.last == .priority ? part.keys.dropLast() : part.keys[...]
                guard keys.allSatisfy(\.isAllowed) else { return .path }
                if let rejectionReason = part.node.rejectionReason(depth: depth + keys.count) { return rejectionReason }
            }
            let weight = parts.reduce(0) { $0 + $1.node.weight + $1.keys.reduce(0) { $0 + $1.text.utf8.count } }
            return weight > TreeLimits.writeWeightMax ? .write : nil
        }
    }
}

extension TreeNode {
    /// The reason why a tree cannot contain the node; nil if it can.
    ///
    /// - Parameter depth: the number of keys in the path of the node.
    fileprivate func rejectionReason(depth: Int) -> TreeValidationError? {
        guard depth <= TreeLimits.depthMax else { return .path }
        if let rejectionReason = priority?.rejectionReason ?? leaf?.rejectionReason { return rejectionReason }
        for (key, child) in children {
            guard key.isAllowed else { return .path }
            if let rejectionReason = child.rejectionReason(depth: depth + 1) { return rejectionReason }
        }
        return nil
    }

    /// True if a tree can contain the node: its keys are valid, its numbers are finite, and it is not too deep. The
    /// sizes of its leaves are not checked.
    public var isSound: Bool { rejectionReason(depth: 0).map { $0 == .leaf } ?? true }

    /// An upper bound of the size of the node in a frame, in bytes.
    public var weight: Int {
        let own = priority.map { $0.weight + 8 } ?? 0
        if let leaf { return own + leaf.weight }
        // 14 bytes for the tags and lengths of the child, its key and its value.
        return children.reduce(own + 6) { $0 + $1.key.text.utf8.count + $1.value.weight + 14 }
    }
}

extension TreeWrite.Change {
    /// An upper bound of the size of the change in a frame, in bytes.
    public var weight: Int {
        switch self {
        case .set(let node): node.weight
        case .update(let parts):
            parts.reduce(0) { $0 + $1.node.weight + $1.keys.reduce(0) { $0 + $1.text.utf8.count + 20 } }
        }
    }
}

extension TreeLeaf {
    fileprivate var rejectionReason: TreeValidationError? {
        switch self {
        case .number(let number): number.isFinite ? nil : .number
        case .text(let text): text.utf8.count > TreeLimits.leafBytesMax ? .leaf : nil
        case .bool, .serverTimestamp: nil
        }
    }

    var weight: Int {
        switch self {
        case .bool, .serverTimestamp: 4
        case .number: 11
        case .text(let text): text.utf8.count + 8
        }
    }
}
