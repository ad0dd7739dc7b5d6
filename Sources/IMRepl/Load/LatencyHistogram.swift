/// A histogram of durations. The width of its buckets grows with the duration. So it needs bounded memory for any
/// number of durations, and its error is at most 2 %.
struct LatencyHistogram: Equatable, Sendable {
    /// The number of buckets for each doubling of the duration.
    private static let bucketsPerDoubling = 64
    private var counts: [UInt32: Int] = [:]
    private(set) var count = 0
    private(set) var maxMicroseconds: Int64 = 0

    mutating func add(microseconds: Int64) {
        let value = max(0, microseconds)
        counts[Self.bucket(of: value), default: 0] += 1
        count += 1
        maxMicroseconds = max(maxMicroseconds, value)
    }

    /// The duration in microseconds that `percent` percent of the durations do not exceed; nil if there are no
    /// durations.
    func percentile(_ percent: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((Double(count) * percent / 100).rounded(.up)))
        var total = 0
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            total += number
            if total >= rank { return min(Self.largestValue(in: bucket), maxMicroseconds) }
        }
        return maxMicroseconds
    }

    /// Each of the first `bucketsPerDoubling` values has a bucket of its own.
    private static func bucket(of value: Int64) -> UInt32 {
        guard value >= Int64(bucketsPerDoubling) else { return UInt32(value) }
        let doublings = 63 - value.leadingZeroBitCount - 6
        return UInt32(doublings * bucketsPerDoubling) + UInt32(value >> Int64(doublings))
    }

    private static func largestValue(in bucket: UInt32) -> Int64 {
        guard bucket >= UInt32(bucketsPerDoubling) else { return Int64(bucket) }
        let doublings = Int64(bucket) / Int64(bucketsPerDoubling) - 1
        let step = Int64(bucket) % Int64(bucketsPerDoubling) + Int64(bucketsPerDoubling)
        return (step << doublings) + ((1 << doublings) - 1)
    }
}
