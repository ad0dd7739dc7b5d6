/// A query whose data is stored on a device. The client listens to it, or listened to it earlier (SYNC-2).
public struct TrackedQuery: Sendable, Hashable, Codable {
    /// The number of the query, which identifies its data on the device.
    public var number: UInt64
    public var path: [TreeKey]
    /// The query. A query without limits has no order.
    public var query: TreeQuery
    /// True if the device has the complete result of the query.
    public var isComplete = false
    /// True if the client listens to the query.
    public var isActive = true
    /// True if the server has answered the listen, so that its events keep the data up to date.
    public var isCurrent = false
    /// The time of the last use, as a counter: a larger number is a later use.
    public var lastUse: UInt64
    /// The age of the data, for queries that are not current: a larger number is newer data.
    public var asOf: UInt64 = 0
    /// The approximate size of the stored data, in bytes by ``TreeNode/weight``.
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

    /// True if the data of the query contains the complete node at a path.
    func covers(_ path: [TreeKey]) -> Bool { query.loadsAllData && path.starts(with: self.path) }
}

extension TreeQuery {
    /// True if the result of another query of the same path can be derived from the result of this query.
    func containsResult(of other: TreeQuery) -> Bool {
        if loadsAllData || self == other { return true }
        guard order == other.order else { return false }
        guard let limit else {
            return range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
        }
        guard let others = other.limit, limit.end == others.end, others.count <= limit.count else { return false }
        return range == other.range
    }

    /// The query without its limit if `node` has fewer children than the limit, so that the limit left nothing out.
    /// Otherwise the query itself.
    func unlimited(by node: TreeNode) -> TreeQuery {
        guard let limit, node.children.count < limit.count else { return self }
        return TreeQuery(order: order, start: start, end: end)
    }
}
