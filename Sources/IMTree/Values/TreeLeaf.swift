/// A value without children. False comes before true, then numbers, then texts by their UTF-8 bytes.
public enum TreeLeaf: Sendable, Codable {
    case bool(Bool)
    /// IEEE 754, as in the vendor's SDK.
    case number(Double)
    case text(String)
    /// The server's time when it accepts the write. Listeners see a number instead (SYNC-7).
    case serverTimestamp
}

extension TreeLeaf: Hashable {
    /// Texts are equal if their bytes are equal: another Unicode normal form is another value.
    public static func == (one: TreeLeaf, other: TreeLeaf) -> Bool { SortValue(one) == SortValue(other) }

    public func hash(into hasher: inout Hasher) { SortValue(self).hash(into: &hasher) }
}

/// The sort value of a child, which makes values of every type comparable: first empty ones, then leaves, then all
/// nodes with children, which are equal (SYNC-4).
public enum SortValue: Sendable {
    /// Before every value.
    case lowest
    case nothing
    case bool(Bool)
    case number(Double)
    case text(String)
    case children
    /// After every value.
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

    /// Below zero if it comes before the other one, above if it comes after.
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
