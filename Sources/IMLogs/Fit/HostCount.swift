/// The number of hosts that a client tries. After a host that refuses the connection, the client tries the next one at
/// once; after the last one it waits.
struct HostCount {
    /// The number of attempts in each round in which all hosts refused.
    private(set) var bursts: [Int64] = []
    private var count: Int64 = 0
    private var begunAt: Int64?
    private var failedAt: Int64?

    /// A refusal takes less time, and the next host follows within it.
    private static let refusalMax: Int64 = 4500
    private static let gapMax: Int64 = 120
    private static let waitLeast: Int64 = 500

    /// The most frequent number; nil if no round has two hosts.
    var mostFrequent: Int64? {
        let counts = Set(bursts)
        guard counts.contains(where: { $0 > 1 }) else { return nil }
        return counts.max { left, right in
            func key(_ count: Int64) -> (Int, Int64) { (bursts.count { $0 == count }, count) }
            return key(left) < key(right)
        }
    }

    mutating func forget() { (count, begunAt, failedAt) = (0, nil, nil) }

    mutating func begin(at now: Int64) {
        if let failedAt, count > 0 {
            let gap = now - failedAt
            if gap >= Self.waitLeast { bursts.append(count) }
            if gap > Self.gapMax { count = 0 }
        }
        (begunAt, failedAt) = (now, nil)
    }

    mutating func fail(at now: Int64) {
        guard let begun = begunAt, now - begun <= Self.refusalMax else { return forget() }
        (count, begunAt, failedAt) = (count + 1, nil, now)
    }
}
