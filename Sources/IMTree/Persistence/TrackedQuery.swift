/// A query of a former or current listen, as stored on a device (SYNC-2).
public struct TrackedQuery: Sendable, Hashable, Codable {
    /// The name of its data on the device.
    public var number: UInt64
    public var path: [TreeKey]
    /// The query. Its order is omitted if it has no limits.
    public var query: TreeQuery
    /// True if the device has its complete result.
    public var isComplete = false
    /// True if it has a listen.
    public var isActive = true
    /// True if the server keeps it up to date.
    public var isCurrent = false
    /// A larger number means a later use.
    public var lastUse: UInt64
    /// For queries that are not current: a larger number means newer data.
    public var asOf: UInt64 = 0
    /// The approximate number of stored bytes, by ``TreeNode/weight``.
    public var bytes = 0

    public init(
        number: UInt64, path: [TreeKey], query: TreeQuery, isComplete: Bool = false, isActive: Bool = true,
        isCurrent: Bool = false, lastUse: UInt64, asOf: UInt64 = 0, bytes: Int = 0
    ) {
        self.number = number
        self.path = path
        self.query = query
        self.isComplete = isComplete
        self.isActive = isActive
        self.isCurrent = isCurrent
        self.lastUse = lastUse
        self.asOf = asOf
        self.bytes = bytes
    }

    /// True if it includes the complete node at a path.
    func covers(_ path: [TreeKey]) -> Bool { query.loadsAllData && path.starts(with: self.path) }
}

extension TreeQuery {
    /// True if the result of another query can be derived from the result of this one.
    func gives(_ other: TreeQuery) -> Bool {
        if loadsAllData || self == other { return true }
        guard order == other.order else { return false }
        guard let limit else {
            return range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
        }
        guard let others = other.limit, limit.end == others.end, others.count <= limit.count else { return false }
        return range == other.range
    }

    /// The query without its limit if a node has fewer children than the limit; otherwise the query itself.
    func unlimited(by node: TreeNode) -> TreeQuery {
        guard let limit, node.children.count < limit.count else { return self }
        return TreeQuery(order: order, start: start, end: end)
    }
}
