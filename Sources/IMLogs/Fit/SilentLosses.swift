import Foundation
import IMClient

/// Estimates the heartbeat interval from lost connections. A silent connection is lost when a heartbeat has no answer.
/// That is after a whole number of intervals plus the time limit of the answer. Other losses happen at any time. All
/// times are in milliseconds.
struct SilentLosses {
    /// The time from the first heartbeat to each loss.
    private var ages: [Int64] = []

    /// The maximum difference from a whole number of intervals.
    private static let tolerance: Int64 = 50
    /// The share of losses that are silent.
    private static let silentShare = 0.4
    /// The prior probabilities of the profile's interval, of another one in whole seconds, and of one in tenths of a
    /// second.
    private static let (ownShare, secondsShare, tenthsShare) = (0.15, 0.6, 0.25)
    /// The prior probability of the profile's time limit of an answer; others are in halves of a second.
    private static let ownLimitShare = 0.5
    private static let limitMax: Int64 = 60_000
    private static let lossesMax = 24
    /// An interval is returned only if the losses have it with at least this probability, and not by chance.
    private static let certainty = 0.85

    mutating func take(_ age: Int64) {
        if ages.count < Self.lossesMax { ages.append(age) }
    }

    /// The interval that fits the largest number of losses. Nil if the losses can have this interval by chance, or if a multiple or a
    /// fraction of the interval fits, too.
    ///
    /// - Returns: the interval, and the interval computed from each loss that fits.
    func interval(_ usual: ClientPolicy) -> (interval: Int64, observed: [Int64])? {
        guard usual.heartbeatGrowth == .zero, usual.silenceLimit == .zero, usual.interruptionGrace == .zero else {
            return nil
        }
        let own = usual.heartbeatInterval.inMilliseconds
        guard own > 1000, ages.count > 1 else { return nil }
        let candidates = Self.candidates(own)
        let limits = Self.limits(usual.heartbeatAnswerLimit.inMilliseconds)
        // The hypothesis that all losses are random has the weight 1.
        var (total, best): (Double, (weight: Double, interval: Int64, limit: Int64)?) = (1, nil)
        var weights: [(interval: Int64, weight: Double)] = []
        for (interval, prior) in candidates {
            var sum = 0.0
            for (limit, share) in limits {
                let weight = prior * share * likelihood(interval, limit)
                sum += weight
                if weight > best?.weight ?? 0 { best = (weight, interval, limit) }
            }
            weights.append((interval, sum))
            total += sum
        }
        guard let best else { return nil }
        let near = weights.filter { abs($0.interval - best.interval) * 50 <= best.interval }
        guard near.reduce(0, { $0 + $1.weight }) >= Self.certainty * total else { return nil }
        let agreeing = intervalCounts(best.interval, best.limit).filter { $0.count > 0 && $0.off <= Self.tolerance }
        guard agreeing.count > 1 else { return nil }
        return (best.interval, agreeing.map { $0.span / $0.count })
    }

    /// For each loss, the time before it without the time limit of the answer, the number of intervals in that time,
    /// and the difference from a whole number of intervals.
    private func intervalCounts(_ interval: Int64, _ limit: Int64) -> [(span: Int64, count: Int64, off: Int64)] {
        ages.map { age in
            let span = age - limit
            let count = span < 0 ? 0 : (span + interval / 2) / interval
            return (span, count, abs(span - count * interval))
        }
    }

    /// The likelihood of the losses, relative to random times.
    private func likelihood(_ interval: Int64, _ limit: Int64) -> Double {
        let hit = Self.silentShare * Double(interval) / Double(2 * Self.tolerance)
        var product = 1.0
        for age in ages {
            let span = age - limit
            guard span > interval / 2 else {
                product *= 1 - Self.silentShare
                continue
            }
            let off = abs(span - (span + interval / 2) / interval * interval)
            product *= 1 - Self.silentShare + (off <= Self.tolerance ? hit : 0)
        }
        return product
    }

    private static func candidates(_ own: Int64) -> [(interval: Int64, prior: Double)] {
        var all: [(interval: Int64, prior: Double)] = [(own, ownShare)]
        let least = max(1000, own / 4 / 100 * 100)
        let tenths = Array(stride(from: least, through: own * 4, by: 100))
        let seconds = tenths.filter { $0 % 1000 == 0 }
        all += seconds.map { ($0, secondsShare / Double(seconds.count)) }
        all += tenths.map { ($0, tenthsShare / Double(tenths.count)) }
        return all
    }

    private static func limits(_ own: Int64) -> [(limit: Int64, prior: Double)] {
        let others = Array(stride(from: Int64(2000), through: limitMax, by: 500))
        return [(own, ownLimitShare)] + others.map { ($0, (1 - ownLimitShare) / Double(others.count)) }
    }
}
