/// Something that was listened to at the server, as a device holds it (SYNC-2).
public struct TrackedQuery: Sendable, Hashable, Codable {
    /// Names its data on the device.
    public var number: UInt64
    public var place: [TreeKey]
    /// What was asked for; an order alone is not.
    public var query: TreeQuery
    /// Whether the device holds all that it gave.
    public var isComplete = false
    /// Whether it was listened to when this was written.
    public var isActive = true
    /// Of two the one with the larger number was used, and kept up to date, longer.
    public var lastUse: UInt64
    /// About so many bytes are held, by ``TreeNode/weight``.
    public var bytes = 0

    public init(
        number: UInt64, place: [TreeKey], query: TreeQuery, isComplete: Bool = false, isActive: Bool = true,
        lastUse: UInt64, bytes: Int = 0
    ) {
        self.number = number
        self.place = place
        self.query = query
        self.isComplete = isComplete
        self.isActive = isActive
        self.lastUse = lastUse
        self.bytes = bytes
    }

    /// Whether what is held gives all of another query of a place by itself.
    func covers(_ other: TreeQuery, at place: [TreeKey]) -> Bool {
        guard !query.loadsAllData else { return place.starts(with: self.place) }
        return place == self.place && query.gives(other)
    }
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
