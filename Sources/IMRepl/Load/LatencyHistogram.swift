/// A histogram of durations, in buckets whose width grows with their values: bounded memory for any number of
/// durations, with an error of at most two hundredths.
struct LatencyHistogram: Equatable, Sendable {
    /// The number of buckets for each doubling.
    private static let fineness = 64
    private var counts: [UInt32: Int] = [:]
    private(set) var count = 0
    private(set) var maxMicroseconds: Int64 = 0

    mutating func add(microseconds: Int64) {
        let value = max(0, microseconds)
        counts[Self.bucket(of: value), default: 0] += 1
        count += 1
        maxMicroseconds = max(maxMicroseconds, value)
    }

    /// The smallest number such that the given percentage of the values is not larger; nil if there are no values.
    func percentile(_ percent: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((Double(count) * percent / 100).rounded(.up)))
        var seen = 0
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            seen += number
            if seen >= rank { return min(Self.most(in: bucket), maxMicroseconds) }
        }
        return maxMicroseconds
    }

    /// Each number below the fineness has its own bucket.
    private static func bucket(of value: Int64) -> UInt32 {
        guard value >= Int64(fineness) else { return UInt32(value) }
        let doublings = 63 - value.leadingZeroBitCount - 6
        return UInt32((doublings + 1) * fineness) + UInt32((value >> Int64(doublings)) - Int64(fineness))
    }

    private static func most(in bucket: UInt32) -> Int64 {
        guard bucket >= UInt32(fineness) else { return Int64(bucket) }
        let doublings = Int64(bucket) / Int64(fineness) - 1
        let place = Int64(bucket) % Int64(fineness) + Int64(fineness)
        return (place << doublings) + ((1 << doublings) - 1)
    }
}
