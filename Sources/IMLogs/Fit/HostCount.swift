/// The number of hosts that a client tries. If a host refuses the connection, the client tries the next one at once.
/// After the last host it waits.
struct HostCount {
    /// The number of attempts in each round in which all hosts refused.
    private(set) var bursts: [Int64] = []
    private var count: Int64 = 0
    private var startedAt: Int64?
    private var failedAt: Int64?

    /// The maximum time in milliseconds after which a host refuses a connection.
    private static let refusalMax: Int64 = 4500
    /// The maximum time between a refusal and the attempt to connect to the next host.
    private static let gapMax: Int64 = 120
    /// The minimum time that a client waits after the last host.
    private static let waitMin: Int64 = 500

    /// The most frequent number of attempts in a round; nil if no round has two.
    var mostFrequent: Int64? {
        let counts = Set(bursts)
        guard counts.contains(where: { $0 > 1 }) else { return nil }
        return counts.max { left, right in
            func key(_ count: Int64) -> (Int, Int64) { (bursts.count { $0 == count }, count) }
            return key(left) < key(right)
        }
    }

    mutating func forget() { (count, startedAt, failedAt) = (0, nil, nil) }

    mutating func begin(at now: Int64) {
        if let failedAt, count > 0 {
            let gap = now - failedAt
            if gap >= Self.waitMin { bursts.append(count) }
            if gap > Self.gapMax { count = 0 }
        }
        (startedAt, failedAt) = (now, nil)
    }

    mutating func fail(at now: Int64) {
        guard let start = startedAt, now - start <= Self.refusalMax else { return forget() }
        (count, startedAt, failedAt) = (count + 1, nil, now)
    }
}
