/// A value without children. The order of values is: false, true, numbers, texts by their UTF-8 bytes.
public enum TreeLeaf: Sendable, Codable {
    case bool(Bool)
    /// A double-precision number, as in the vendor's SDK.
    case number(Double)
    case text(String)
    /// A placeholder for the server's time at which the write is accepted. Listeners receive a number instead (SYNC-7).
    case serverTimestamp
}

extension TreeLeaf: Hashable {
    /// Two texts are equal if their bytes are equal. Texts in different Unicode normalization forms differ.
    public static func == (one: TreeLeaf, other: TreeLeaf) -> Bool { SortValue(one) == SortValue(other) }

    public func hash(into hasher: inout Hasher) { SortValue(self).hash(into: &hasher) }
}

/// The sort value of a child, which makes all types of values comparable. The order is: no value, leaves, nodes with
/// children. All nodes with children are equal in this order (SYNC-4).
public enum SortValue: Sendable {
    /// Comes before all values.
    case lowest
    case nothing
    case bool(Bool)
    case number(Double)
    case text(String)
    case children
    /// Comes after all values.
    case highest

    init(_ leaf: TreeLeaf?) {
        switch leaf {
        case nil: self = .nothing
        case .bool(let flag)?: self = .bool(flag)
        case .number(let number)?: self = .number(number)
        case .text(let text)?: self = .text(text)
        case .serverTimestamp?: self = .number(.infinity)
        }
    }

    init(_ node: TreeNode) {
        switch node.content {
        case .empty: self = .nothing
        case .leaf(let leaf): self.init(leaf)
        case .children: self = .children
        }
    }

    private var rank: Int {
        switch self {
        case .lowest: 0
        case .nothing: 1
        case .bool(false): 2
        case .bool(true): 3
        case .number: 4
        case .text: 5
        case .children: 6
        case .highest: 7
        }
    }
}

extension SortValue: Comparable, Hashable {
    public static func == (one: SortValue, other: SortValue) -> Bool { one.compared(to: other) == 0 }
    public static func < (one: SortValue, other: SortValue) -> Bool { one.compared(to: other) < 0 }

    /// Below zero if this value comes before `other`, above zero if it comes after, zero if both are equal.
    func compared(to other: SortValue) -> Int {
        if case .number(let own) = self, case .number(let others) = other {
            return own < others ? -1 : others < own ? 1 : 0
        }
        if case .text(let own) = self, case .text(let others) = other { return own.comparedByBytes(to: others) }
        return rank - other.rank
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        default: break
        }
    }
}
