/// Something that was listened to at the server, as a device holds it (SYNC-2).
public struct TrackedQuery: Sendable, Hashable, Codable {
    /// Names its data on the device.
    public var number: UInt64
    public var place: [TreeKey]
    /// What was asked for; an order alone is not.
    public var query: TreeQuery
    /// Whether the device holds all that it gave.
    public var isComplete = false
    /// Whether it is listened to.
    public var isActive = true
    /// Whether the server keeps it up to date.
    public var isCurrent = false
    /// Of two the one with the larger number was used longer.
    public var lastUse: UInt64
    /// Of two that are not current the one with the larger number is newer.
    public var asOf: UInt64 = 0
    /// About so many bytes are held, by ``TreeNode/weight``.
    public var bytes = 0

    public init(
        number: UInt64, place: [TreeKey], query: TreeQuery, isComplete: Bool = false, isActive: Bool = true,
        isCurrent: Bool = false, lastUse: UInt64, asOf: UInt64 = 0, bytes: Int = 0
    ) {
        self.number = number
        self.place = place
        self.query = query
        self.isComplete = isComplete
        self.isActive = isActive
        self.isCurrent = isCurrent
        self.lastUse = lastUse
        self.asOf = asOf
        self.bytes = bytes
    }

    /// Whether all that stands at a place is part of it.
    func covers(_ place: [TreeKey]) -> Bool { query.loadsAllData && place.starts(with: self.place) }
}

extension TreeQuery {
    /// Whether all that another query gives can be told from what this one gives.
    func gives(_ other: TreeQuery) -> Bool {
        if loadsAllData || self == other { return true }
        guard order == other.order else { return false }
        guard let limit else {
            return range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
        }
        guard let others = other.limit, limit.end == others.end, others.count <= limit.count else { return false }
        return range == other.range
    }

    /// The same without its limit where a node has fewer children than it may give: then it gives all there are.
    func unlimited(by node: TreeNode) -> TreeQuery {
        guard let limit, node.children.count < limit.count else { return self }
        return TreeQuery(order: order, start: start, end: end)
    }
}
