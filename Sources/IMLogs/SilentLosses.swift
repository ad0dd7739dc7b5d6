import Foundation
import IMClient

/// The heartbeat interval, as lost connections show it. A connection that went silent is given up when a heartbeat has had no
/// answer: a whole number of intervals and the time limit of the answer after heartbeats began. Other losses come at any time.
struct SilentLosses {
    /// The time from the beginning of heartbeats to each loss.
    private var ages: [Int64] = []

    /// Losses agree that differ from a whole number of intervals by at most this.
    private static let tolerance: Int64 = 50
    /// The share of losses that are silent.
    private static let silentShare = 0.4
    /// How likely the profile's interval is, another one of whole seconds, and any other one.
    private static let (ownShare, secondsShare, otherShare) = (0.15, 0.6, 0.25)
    /// So much likelier than chance an interval has to be, as a logarithm.
    private static let certainty = 4.0
    private static let lossesMax = 60

    mutating func take(_ age: Int64) {
        if ages.count < Self.lossesMax { ages.append(age) }
    }

    /// The interval that most losses agree with; nil where that may be chance.
    ///
    /// - Returns: the interval, and what each loss that agrees makes of it.
    func interval(_ usual: ClientPolicy) -> (interval: Int64, observed: [Int64])? {
        guard usual.heartbeatGrowth == .zero, usual.silenceLimit == .zero, usual.interruptionGrace == .zero else {
            return nil
        }
        let own = usual.heartbeatInterval.inMilliseconds
        let spans = ages.map { $0 - usual.heartbeatAnswerLimit.inMilliseconds }.filter { $0 >= own / 3 }
        guard own > 1000, !spans.isEmpty else { return nil }
        var best: (weight: Double, interval: Int64, observed: [Int64])?
        func weigh(_ candidate: Int64, _ prior: Double) {
            let beats = spans.map { span in (span: span, count: (span + candidate / 2) / candidate) }
            let near = beats.filter { $0.count > 0 && abs($0.span - $0.count * candidate) <= Self.tolerance }
            // Of two intervals that agree with the same losses, the longer one is less likely to do so by chance.
            let ratio = Self.silentShare * Double(candidate) / Double(2 * Self.tolerance)
            let weight = log(prior) + Double(near.count) * log(ratio)
            guard near.count > 1, weight > best?.weight ?? Self.certainty else { return }
            let total = near.reduce(0) { $0 + $1.count }
            best = (weight, near.reduce(0) { $0 + $1.span } / total, near.map { $0.span / $0.count })
        }
        weigh(own, Self.ownShare)
        for span in spans {
            for count in max(1, span * 2 / (own * 5))...max(1, span * 3 / own) {
                let candidate = span / count
                let whole = (candidate + 500) / 1000 * 1000
                if abs(candidate - whole) <= Self.tolerance / count {
                    weigh(whole, Self.secondsShare * 1000 / Double(2 * own))
                }
                weigh(candidate, Self.otherShare * Double(4 * Self.tolerance) / Double(2 * own))
            }
        }
        return best.map { ($0.interval, $0.observed) }
    }
}
