import Foundation

/// Estimates the delays between attempts, by the number of the retry, and their jitter. All times are in milliseconds.
///
/// It computes the likelihood of each possible list of delays with each jitter. A list is the profile's list,
/// multiplied by a factor; or a list in which each delay is twice the previous one, or equal to it; or any other list.
struct RetryDelays {
    /// The delays that the log shows.
    private(set) var observed: [Int64] = []
    /// The jitter of each observed delay, in thousandths of the delay.
    private(set) var spreads: [Int64] = []
    /// The jitter of the policy, in thousandths of a delay.
    private(set) var jitter: FittedValue?
    private var delays: [FittedValue] = []
    private var waits: [[Int64]] = []

    var count: Int { observed.count }

    /// The list of delays in the form of `client policy`. Its last delay is also that of all later retries.
    var text: String { Self.text(delays) }

    /// The first delays of the list, as many as the log shows well enough; nil if it shows none.
    var shown: String? {
        let known = zip(delays, waits).prefix { delay, waits in delay.isShown() && !waits.isEmpty }.map(\.0)
        return known.isEmpty ? nil : Self.text(known)
    }

    /// The lower or the upper bound of each delay in ``text``.
    func bounds(_ bound: KeyPath<FittedValue, Int64>) -> String {
        Self.listed(delays).map { String($0[keyPath: bound]) }.joined(separator: ",")
    }

    private static func text(_ delays: [FittedValue]) -> String {
        listed(delays).map { String($0.value) }.joined(separator: ",")
    }

    private static func listed(_ delays: [FittedValue]) -> [FittedValue] {
        var list = delays
        while list.count > 1, abs(list[list.count - 1].value - list[list.count - 2].value) <= 100 { list.removeLast() }
        return list
    }

    /// A delay that the log shows, with the number of its retry.
    private struct Wait {
        var retry: Int
        var length: Double
        /// True if the delay has no jitter. Jitter gives different delays, so a longest delay that occurs several times
        /// has none.
        var isExact: Bool
    }

    /// The pattern of the delays, apart from a factor.
    private enum Shape: CaseIterable {
        case usual, scaled, doubled, constant, free

        /// The prior probability of the shape.
        var share: Double {
            switch self {
            case .usual, .free: 0.3
            case .scaled: 0.25
            case .doubled: 0.1
            case .constant: 0.05
            }
        }
    }

    /// The likelihood of a jitter, with the factors of the delays.
    private struct Fit {
        var logLikelihood: Double
        /// The factor of the delay of each retry.
        var factors: [Double]
        /// For each retry, the possible ranges of its factor.
        var ranges: [[FactorRange]]
    }

    /// A possible range of a factor, with its likelihood.
    private struct FactorRange {
        var logWeight: Double
        var low: Double
        var high: Double
        /// The number of delays with jitter. The more there are, the more likely is the low end of the range. With 0,
        /// all factors in the range are equally likely.
        var count: Double

        func scaled(_ factor: Double) -> FactorRange {
            FactorRange(logWeight: logWeight, low: low * factor, high: high * factor, count: count)
        }

        /// A quantile of the factor.
        func quantile(_ share: Double) -> Double {
            let part = count * log(high / low)
            guard part > 0.001 else { return low + share * (high - low) }
            return low * exp(-log(1 - share * (1 - exp(-part))) / count)
        }
    }

    /// A jitter and the delays of a shape, with their fit.
    private struct Candidate {
        var jitter: Double
        var base: [Double]
        var fit: Fit
    }

    /// The maximum error of the time between two lines.
    private static let noise = 40.0
    /// The additional error of a delay that is the product of a list's delay and a factor, because such delays are
    /// rounded.
    private static let rounding = 50.0
    /// The logarithm of 9, which is the quotient of the largest and the smallest possible factor.
    private static let range = 2.2
    /// The share of delays that the return of the network shortened.
    private static let cutShare = 0.03
    private static let cutsMax = 12

    /// - Parameters:
    ///   - waits: the observed delays, by the number of the retry.
    ///   - usual: the profile's delays.
    ///   - usualJitter: the profile's jitter, in thousandths.
    init(_ waits: [[Int64]], usual: [Int64] = [], usualJitter: Int64 = 0) {
        observed = waits.flatMap { $0 }
        guard let longest = observed.max() else { return }
        let isLongestKnown = observed.count { longest - $0 <= 100 } > 1
        var all: [Wait] = []
        for (retry, waits) in waits.enumerated() {
            for wait in waits {
                let isExact = isLongestKnown && longest - wait <= 100
                all.append(Wait(retry: retry, length: Double(wait), isExact: isExact))
            }
        }
        self.waits = waits
        var best: [Candidate] = []
        var most = -Double.infinity
        var allCandidates: [Candidate] = []
        for shape in Shape.allCases {
            guard let base = Self.base(shape, waits.count, usual) else { continue }
            var candidates: [Candidate] = []
            for perMille in stride(from: 0, through: 1000, by: 50) {
                let jitter = Double(perMille) / 1000
                var fit = Self.fit(all, base, shape, jitter)
                fit.logLikelihood += log(Self.prior(perMille, Int(usualJitter)) * shape.share)
                if fit.logLikelihood > -.infinity { candidates.append(Candidate(jitter: jitter, base: base, fit: fit)) }
            }
            let weight = Self.logSum(candidates.map(\.fit.logLikelihood))
            if weight > most { (best, most) = (candidates, weight) }
            allCandidates += candidates
        }
        if !best.isEmpty { choose(best, of: allCandidates) }
    }

    /// Takes the values from the most likely shape, and their intervals from all shapes.
    private mutating func choose(_ best: [Candidate], of allCandidates: [Candidate]) {
        func weight(_ candidates: [Candidate]) -> Double { Self.logSum(candidates.map(\.fit.logLikelihood)) }
        let (jittered, fixed) = (best.filter { $0.jitter > 0 }, best.filter { $0.jitter == 0 })
        let isJittered = weight(jittered) > weight(fixed)
        let kept = isJittered ? jittered : fixed
        let sum = weight(kept)
        let mean = kept.reduce(0) { $0 + $1.jitter * exp($1.fit.logLikelihood - sum) }
        let total = weight(allCandidates)
        var jitters = WeightedNumbers()
        for candidate in allCandidates {
            let share = exp(candidate.fit.logLikelihood - total)
            // The jitters are multiples of 50 thousandths. A candidate also represents the jitters near it.
            let around = candidate.jitter > 0 ? [-20.0, 0, 20] : [0]
            for step in around { jitters.add(candidate.jitter * 1000 + step, weight: share / Double(around.count)) }
        }
        let bounds = jitters.interval ?? (mean * 1000, mean * 1000)
        jitter = FittedValue(mean * 1000, low: bounds.low, high: bounds.high)
        delays = (kept.first?.base ?? []).indices.map { index in
            let value = kept.reduce(0) { result, candidate in
                result + candidate.base[index] * candidate.fit.factors[index] * exp(candidate.fit.logLikelihood - sum)
            }
            let bounds = Self.interval(allCandidates, total, index) ?? (0, 2 * value)
            return FittedValue(value, low: bounds.low, high: bounds.high)
        }
        for (retry, waits) in waits.enumerated() where isJittered || waits.count > 1 {
            let least = isJittered ? delays[retry].value : waits.min() ?? 1
            spreads += waits.map { max(0, $0 - least) * 1000 / max(1, least) }
        }
    }

    /// The interval of a delay, from all candidates.
    private static func interval(
        _ candidates: [Candidate], _ total: Double, _ index: Int
    ) -> (low: Double, high: Double)? {
        var numbers = WeightedNumbers()
        for candidate in candidates {
            let share = exp(candidate.fit.logLikelihood - total)
            guard share > 0.0005 else { continue }
            for range in candidate.fit.ranges[index] {
                let weight = share * exp(range.logWeight)
                guard weight > 0.0005 else { continue }
                for part in [0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97] {
                    let edge = part < 0.05 || part > 0.95
                    numbers.add(candidate.base[index] * range.quantile(part), weight: weight * (edge ? 0.06 : 0.176))
                }
            }
        }
        return numbers.interval
    }

    /// The delays of a shape before they are multiplied by a factor; nil if the profile has no delays.
    private static func base(_ shape: Shape, _ count: Int, _ usual: [Int64]) -> [Double]? {
        switch shape {
        case .usual, .scaled:
            guard let last = usual.last, last > 0 else { return nil }
            return (0..<count).map { Double($0 < usual.count ? usual[$0] : last) }
        case .doubled: return (0..<count).map { 1000 * pow(2, Double(min($0, 30))) }
        case .constant, .free: return Array(repeating: 1000, count: count)
        }
    }

    /// The prior probability of a jitter. Small and round numbers are more likely. No jitter and the profile's jitter
    /// are most likely.
    private static func prior(_ perMille: Int, _ usual: Int) -> Double {
        let own = perMille == 0 ? 0.4 : perMille % 100 == 0 ? 0.04 : 0.02
        return (perMille > 500 ? own / 4 : own) + (perMille == usual ? 0.3 : 0)
    }

    private static func fit(_ waits: [Wait], _ base: [Double], _ shape: Shape, _ jitter: Double) -> Fit {
        guard shape != .usual, shape != .scaled, waits.contains(where: \.isExact) else {
            return fitJittered(waits, base, shape, jitter)
        }
        // The longest delay of the list repeats, and has its own factor.
        let others = waits.filter { !$0.isExact }
        let last = common(waits.filter(\.isExact), base.map { _ in 1000 }, 0, noise, isFixed: false)
        let first = waits.filter(\.isExact).map(\.retry).min() ?? 0
        var fit =
            others.isEmpty
            ? Fit(logLikelihood: 0, factors: base, ranges: base.map { _ in [] })
            : fitJittered(others, base, shape, jitter)
        fit.logLikelihood += last.logLikelihood
        for retry in base.indices where retry >= first {
            fit.factors[retry] = last.factor * 1000 / base[retry]
            fit.ranges[retry] = last.ranges.map { $0.scaled(1000 / base[retry]) }
        }
        return fit
    }

    private static func fitJittered(_ waits: [Wait], _ base: [Double], _ shape: Shape, _ jitter: Double) -> Fit {
        guard shape == .free else {
            let isFixed = shape == .usual
            let noise = isFixed ? noise : noise + rounding
            let found = common(waits, base, jitter, noise, isFixed: isFixed)
            return Fit(
                logLikelihood: found.logLikelihood, factors: base.map { _ in found.factor },
                ranges: base.map { _ in found.ranges })
        }
        var likelihood = 0.0
        var factors: [Double?] = []
        var ranges: [[FactorRange]] = []
        for retry in base.indices {
            let own = waits.filter { $0.retry == retry }
            guard !own.isEmpty else {
                factors.append(nil)
                ranges.append([])
                continue
            }
            let found = common(own, base, jitter, noise, isFixed: false)
            likelihood += found.logLikelihood + (jitter == 0 ? log(roundness(found.factor * base[retry])) : 0)
            factors.append(found.factor)
            ranges.append(found.ranges)
        }
        return Fit(logLikelihood: likelihood, factors: filled(factors), ranges: ranges)
    }

    /// The factor of each retry. If the log does not show a retry, its factor is between those of its neighbours.
    private static func filled(_ factors: [Double?]) -> [Double] {
        var full: [Double] = []
        for index in factors.indices {
            let later = factors[index...].lazy.compactMap { $0 }.first
            full.append(factors[index] ?? full.last.map { ($0 + (later ?? $0)) / 2 } ?? later ?? 0)
        }
        return full
    }

    /// The weight of a delay without jitter. Round delays are more likely, because people choose them.
    private static func roundness(_ delay: Double) -> Double {
        let off = abs(delay - (delay / 500).rounded() * 500)
        return off <= noise ? 2.7 : 0.65
    }

    /// The logarithm of the likelihood of the delays if they have a common factor, and that factor with its possible
    /// ranges.
    private static func common(
        _ waits: [Wait], _ base: [Double], _ jitter: Double, _ noise: Double, isFixed: Bool
    ) -> (logLikelihood: Double, factor: Double, ranges: [FactorRange]) {
        let order = waits.sorted { $0.length / base[$0.retry] < $1.length / base[$1.retry] }
        func share(_ wait: Wait) -> Double { wait.isExact ? 0 : jitter }
        var found: [(logLikelihood: Double, factor: Double)] = []
        var ranges: [FactorRange] = []
        // The return of the network may have shortened the shortest delays, so these are left out step by step.
        for cut in 0...min(cutsMax, order.count / 4) {
            let kept = order[cut...]
            let low = kept.map { ($0.length - noise) / base[$0.retry] / (1 + share($0)) }.max() ?? 0
            let high = kept.map { ($0.length + noise) / base[$0.retry] }.min() ?? 0
            guard low < high, low > 0, !isFixed || (low...high).contains(1) else { continue }
            // Within the range, small factors are more likely, because they require less jitter.
            let (length, count) = (log(high / low), Double(kept.count))
            let part = count * length
            let shift = part < 0.001 ? length / 2 : 1 / count - length / (exp(part) - 1)
            let ratios = kept.map { $0.length / base[$0.retry] }
            let isJittered = kept.contains { share($0) > 0 }
            let factor = isFixed ? 1 : isJittered ? low * exp(shift) : ratios.reduce(0, +) / count
            var likelihood = isFixed ? 0 : log(length / range)
            for wait in kept { likelihood -= log(factor * base[wait.retry] * share(wait) + 2 * noise) }
            for wait in order[..<cut] { likelihood += log(cutShare / (factor * base[wait.retry])) }
            found.append((likelihood, factor))
            let (least, most) = isFixed ? (1, 1) : (low, high)
            ranges.append(
                FactorRange(logWeight: likelihood, low: least, high: most, count: isJittered && !isFixed ? count : 0))
        }
        let sum = logSum(found.map(\.logLikelihood))
        for index in ranges.indices { ranges[index].logWeight -= sum }
        return (sum, found.reduce(0) { $0 + $1.factor * exp($1.logLikelihood - sum) }, ranges)
    }

    /// The logarithm of a sum whose terms are given as logarithms.
    private static func logSum(_ logs: [Double]) -> Double {
        guard let most = logs.max(), most > -.infinity else { return -.infinity }
        return most + log(logs.reduce(0) { $0 + exp($1 - most) })
    }
}
