import IMClient
import IMSession

/// Estimates the settings of a client from a log: `imrepl fit LOG`. To estimate delays, the log must have a line for
/// each attempt (a step of NIM, or a frame). To estimate heartbeats, it must have frames, or several connections that
/// became silent.
public struct NumberFit: Sendable {
    /// The estimate of one setting.
    public struct Number: Hashable, Sendable {
        /// The key of the setting, or `latency-ms`.
        public var key: String
        /// The most probable value, in the form of `client policy`.
        public var value: String
        /// The part of the value that the log shows within 15 %, which for a list is its first numbers; nil if it shows
        /// none.
        public var shown: String?
        /// The lower bounds of the interval that contains the value with a probability of 90 %; empty if the value is
        /// not a number.
        public var low = ""
        /// The upper bounds of the interval.
        public var high = ""
        /// The number of observations.
        public var count: Int
    }

    /// The estimates, in the order of the settings, including those that the log does not show well enough.
    public private(set) var numbers: [Number] = []
    /// The duration of the longest successful login, in milliseconds. The time limit of an attempt is not shorter.
    public let longestLogin: Int64

    /// The keys that a log can show, in their order.
    public static let keys = [
        "latency-ms", "attempt-time-limit-ms", "first-retry-waits", "retry-delays-ms", "retry-jitter-per-mille",
        "host-count", "heartbeat-interval-ms", "heartbeat-growth-ms", "heartbeat-interval-max-ms",
        "heartbeat-answer-limit-ms",
    ]

    /// The settings that the log does not show.
    public var missingKeys: [String] {
        Self.keys.filter { key in !numbers.contains { $0.key == key && $0.shown != nil } }
    }

    /// The standard deviation of the time of a line, in milliseconds.
    private static let lineError = 12.0
    /// The standard deviation of the time between two lines, in milliseconds.
    private static let spanError = 17.0

    /// Times and differences below this number of milliseconds are not used for heartbeats.
    private static let spanMin: Int64 = 500

    /// Estimates the settings from a log's events.
    ///
    /// - Parameter usual: the profile's policy. Delays with jitter, and heartbeats without frames, are compared with
    ///   it.
    public init(_ log: ObservedLog, usual: ClientPolicy? = nil) {
        let observed = FitObservations(log, usual: usual)
        longestLogin = observed.longestLogin
        let error = Self.spanError + Double(observed.clockStep) * 0.41
        let latency = FittedValue(
            observed.exchanges.map { Double($0.length) / Double($0.delays) },
            error: error / Double(observed.exchanges.map(\.delays).min() ?? 1))
        add("latency-ms", latency, observed.exchanges.count)
        addAttemptEstimates(observed, latency?.value ?? 0)
        addDelays(observed, latency?.value ?? 0, usual)
        addHeartbeats(observed, latency?.value ?? 0, usual, error)
    }

    private mutating func add(_ key: String, _ fitted: FittedValue?, _ count: Int, isShown: Bool = true) {
        guard let fitted else { return }
        let value = String(fitted.value)
        numbers.append(
            Number(
                key: key, value: value, shown: isShown && fitted.isShown() ? value : nil, low: String(fitted.low),
                high: String(fitted.high), count: count))
    }

    private mutating func addAttemptEstimates(_ observed: FitObservations, _ latency: Int64) {
        // If a host refuses the connection, an attempt ends after two one-way delays. Such attempts did not reach the
        // time limit.
        let limits = observed.limits.map(\.length).filter { $0 > latency * 5 / 2 }
        let agreeing = Self.agreeing(limits, within: 2 * observed.clockStep)
        add("attempt-time-limit-ms", Self.range(agreeing, observed.clockStep), agreeing.count)
        let waits = observed.firstWaits
        guard !waits.isEmpty else { return }
        // If frames show the attempts, each time includes that of the connection, because the frame is sent when the
        // connection is open. A failed attempt has no frame.
        let connecting = observed.hasFramesOfAttempts ? 2 * latency : 0
        let waiting = waits.count { $0 - connecting >= FitObservations.immediateMax }
        let waitingMin = observed.hasFramesOfAttempts ? waits.count : waits.count / 2 + 1
        let value = waiting >= waitingMin ? "true" : "false"
        numbers.append(Number(key: "first-retry-waits", value: value, shown: value, count: waits.count))
    }

    private mutating func addDelays(_ observed: FitObservations, _ latency: Int64, _ usual: ClientPolicy?) {
        var waits = observed.waits
        if waits.allSatisfy(\.isEmpty), !observed.lastWaits.isEmpty { waits = [observed.lastWaits] }
        var isShown = true
        if observed.hasFramesOfAttempts {
            let all = waits.first?.count ?? 0
            waits = Self.shortest(waits, connecting: 2 * latency)
            let kept = waits.first?.count ?? 0
            isShown = kept > 3 && kept * 2 > all
        }
        let delays = RetryDelays(
            waits, usual: usual?.retryDelays.map(\.inMilliseconds) ?? [], usualJitter: usual?.retryJitterPerMille ?? 0)
        if !delays.text.isEmpty {
            numbers.append(
                Number(
                    key: "retry-delays-ms", value: delays.text, shown: isShown ? delays.shown : nil,
                    low: delays.bounds(\.low), high: delays.bounds(\.high), count: delays.count))
        }
        if let jitter = delays.jitter, !delays.spreads.isEmpty {
            let value = String(jitter.value)
            numbers.append(
                Number(
                    key: "retry-jitter-per-mille", value: value,
                    shown: isShown && jitter.isShown(slack: 25) ? value : nil,
                    low: String(jitter.low), high: String(jitter.high), count: delays.spreads.count))
        }
        guard let count = observed.hosts.mostFrequent else { return }
        let bursts = observed.hosts.bursts
        numbers.append(
            Number(
                key: "host-count", value: String(count), shown: String(count), low: String(bursts.min() ?? count),
                high: String(bursts.max() ?? count), count: bursts.count))
    }

    /// A failed attempt without a line makes a delay look longer, so only delays near the shortest are used.
    private static func shortest(_ waits: [[Int64]], connecting: Int64) -> [[Int64]] {
        let all = waits.first ?? []
        guard let least = all.min(), least > connecting else { return [] }
        return [all.map { $0 - connecting }.filter { $0 < 2 * (least - connecting) }]
    }

    private mutating func addHeartbeats(
        _ observed: FitObservations, _ latency: Int64, _ usual: ClientPolicy?, _ error: Double
    ) {
        let heartbeats = observed.heartbeats
        let growth = Self.median(heartbeats.firstGrowths) ?? 0
        let grows = growth > Self.spanMin
        let gaps = Self.agreeing(grows ? heartbeats.firstGaps : heartbeats.gaps, within: 2 * observed.clockStep)
        if gaps.isEmpty {
            let silent = usual.flatMap { observed.silentLosses.interval($0) }
            add(
                "heartbeat-interval-ms",
                silent.map { silent in
                    FittedValue(
                        Double(silent.interval), low: Double(silent.observed.min() ?? 0),
                        high: Double(silent.observed.max() ?? 0))
                }, silent?.observed.count ?? 0)
        } else {
            add("heartbeat-interval-ms", FittedValue(gaps.map(Double.init), error: error), gaps.count)
        }
        if !heartbeats.firstGrowths.isEmpty {
            let fitted =
                grows
                ? FittedValue(heartbeats.firstGrowths.map(Double.init), error: 2 * error)
                : FittedValue(0, low: 0, high: 0)
            add("heartbeat-growth-ms", fitted, heartbeats.firstGrowths.count)
        }
        if grows {
            let last = Self.agreeing(heartbeats.steadyGaps, within: 2 * observed.clockStep)
            add("heartbeat-interval-max-ms", FittedValue(last.map(Double.init), error: error), last.count)
        }
        // If the policy has a silence limit, the loss of a connection does not depend on the answer to a heartbeat.
        guard usual?.silenceLimit ?? .zero == .zero else { return }
        let limits = Self.agreeing(
            heartbeats.answerLimits.filter { $0 > latency * 5 / 2 && $0 > Self.spanMin },
            within: 2 * observed.clockStep)
        add("heartbeat-answer-limit-ms", Self.range(limits, observed.clockStep), limits.count)
    }

    /// The median of observations that agree, with an interval that contains all of them.
    private static func range(_ values: [Int64], _ step: Int64) -> FittedValue? {
        guard let low = values.min(), let high = values.max(), let middle = median(values) else { return nil }
        let error = Int64(2 * lineError) + step
        return FittedValue(Double(middle), low: Double(low - error), high: Double(high + error))
    }

    /// The largest group of observations that agree within 2 %. Of equally large groups, the one with the longest
    /// times. The other observations have other causes.
    static func agreeing(_ values: [Int64], within step: Int64 = 0) -> [Int64] {
        let order = values.sorted()
        var best: Range<Int> = 0..<0
        var first = 0
        for index in order.indices {
            while order[index] - order[first] > max(80, step, order[index] / 50) { first += 1 }
            if index + 1 - first >= best.count { best = first..<(index + 1) }
        }
        return Array(order[best])
    }

    static func median(_ values: [Int64]) -> Int64? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}
