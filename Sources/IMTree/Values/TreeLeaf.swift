/// A value without children. False comes before true, then numbers, then texts by their bytes in UTF-8.
public enum TreeLeaf: Sendable, Codable {
    case bool(Bool)
    /// IEEE 754, as the vendor has it.
    case number(Double)
    case text(String)
    /// The time of the server when it takes the write; what is seen has a number in its place (SYNC-7).
    case serverTimestamp
}

extension TreeLeaf: Hashable {
    /// Texts are equal where their bytes are: what the server has in another normal form is another value.
    public static func == (one: TreeLeaf, other: TreeLeaf) -> Bool { SortValue(one) == SortValue(other) }

    public func hash(into hasher: inout Hasher) { SortValue(self).hash(into: &hasher) }
}

/// What children are ordered by, so that values of every kind can be compared: nothing, then leaves, then whatever has
/// children, all of which are equal (SYNC-4).
public enum SortValue: Sendable {
    /// Before every value.
    case lowest
    case nothing
    case bool(Bool)
    case number(Double)
    case text(String)
    case children
    /// Behind every value.
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

    /// Below zero where it comes before the other one, above where it comes behind.
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
