/// A query of the children of a path: it selects children and orders them. The default query selects all children, in
/// the order of their priorities (SYNC-4).
public struct TreeQuery: Hashable, Sendable, Codable {
    public var order = TreeOrder.priority
    public var start: Bound?
    public var end: Bound?
    public var limit: Limit?

    /// The first or the last selected child, inclusive, by its sort value and key.
    public struct Bound: Hashable, Sendable, Codable {
        public var value: TreeLeaf?
        /// The key that decides between children with the same value; nil for all of them.
        public var key: TreeKey?

        public init(_ value: TreeLeaf?, key: TreeKey? = nil) {
            self.value = value
            self.key = key
        }
    }

    /// The maximum number of selected children, and whether they are the first or the last ones in the order.
    public struct Limit: Hashable, Sendable, Codable {
        public enum End: Hashable, Sendable, Codable {
            case first
            case last
        }

        public var count: Int
        public var end: End

        public init(_ end: End, _ count: Int) {
            self.count = count
            self.end = end
        }

        /// Reads a limit; throws for a count of 0.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(try container.decode(End.self, forKey: .end), try container.decode(Int.self, forKey: .count))
            guard count > 0 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .count, in: container, debugDescription: "a limit must be at least 1")
            }
        }
    }

    /// The default query, which selects all children.
    public static let all = TreeQuery()

    public init(order: TreeOrder = .priority, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil) {
        self.order = order
        self.start = start
        self.end = end
        self.limit = limit
    }

    /// True if the query has no start, end or limit, so that it selects the whole node: a query without limits.
    public var loadsAllData: Bool { start == nil && end == nil && limit == nil }
    public var isDefault: Bool { self == .all }

    /// The range of positions of the children that the query selects.
    var range: ClosedRange<TreePosition> {
        let low = start.map { position($0, isEnd: false) } ?? .first
        let high = end.map { position($0, isEnd: true) } ?? .last
        // If the end is before the start, the query selects no child.
        return low <= high ? low...high : .last ... .last
    }

    private func position(_ bound: Bound, isEnd: Bool) -> TreePosition {
        if order == .key {
            guard case .text(let text)? = bound.value else { return isEnd ? .last : .first }
            return TreePosition(value: .nothing, key: .key(TreeKey(text)))
        }
        let key: TreePosition.Key = bound.key.map { .key($0) } ?? (isEnd ? .highest : .lowest)
        return TreePosition(value: SortValue(bound.value), key: key)
    }
}
