import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

/// How often an outcome occurs in runs that continue from each event of a recording. A run repeats the events up to
/// that event, and uses another random seed after it. The first event from which the outcome occurs in all runs shows
/// where to search for its cause.
public struct Odds: Sendable {
    /// An event of a recording, and the results of the runs that continue from it.
    public struct EventOdds: Hashable, Sendable, Codable {
        /// The number of the last event before the random seeds change; 0 for the beginning.
        public var number: UInt64
        /// The time of the event since the session began.
        public var time: Instant
        /// The name of the event's node.
        public var node: String
        /// The text of the event.
        public var words: String
        /// The number of runs in which the outcome occurred.
        public var count: Int
        /// The number of different runs. Two runs are different if their events or the times of these differ. 1 if the
        /// seeds changed nothing.
        public var courses: Int
    }

    /// The examined events with their results, in the order of the recording.
    public var points: [EventOdds]
    /// The number of runs from each event.
    public var runs: Int

    /// A text that lists which values are random in each run, and which are the same in all runs.
    public var randomized = ""

    /// The first event from which the outcome occurred in all runs. The same must be true of each later event. Nil if
    /// there is no such event.
    public var alwaysFrom: EventOdds? {
        guard let last = points.lastIndex(where: { $0.count < runs }) else { return points.first }
        return last + 1 < points.count ? points[last + 1] : nil
    }

    /// The 95 % Wilson interval of the outcome's probability after an event, in percent.
    public func interval(_ point: EventOdds) -> (low: Double, high: Double) {
        let (count, runs, z) = (Double(point.count), Double(max(1, runs)), 1.96)
        let share = count / runs
        let middle = share + z * z / (2 * runs)
        let width = z * (share * (1 - share) / runs + z * z / (4 * runs * runs)).squareRoot()
        let scale = 100 / (1 + z * z / runs)
        return (max(0, (middle - width) * scale), min(100, (middle + width) * scale))
    }

    /// The result for an event: `60 of 60 runs (94-100 %)`.
    public func text(_ point: EventOdds) -> String {
        let (low, high) = interval(point)
        return "\(point.count) of \(runs) runs (\(Int(low.rounded()))-\(Int(high.rounded())) %)"
    }

    /// The result, in sentences.
    public var summary: [String] {
        var lines: [String] = []
        if let point = alwaysFrom {
            let from = point.number == 0 ? "the beginning" : "#\(point.number)"
            let low = Int(interval(point).low.rounded())
            lines.append(
                "it occurred in all \(runs) runs from \(from); at least \(low) % of all runs would show it "
                    + "(95 % Wilson interval)")
        } else {
            lines.append("after no event did it occur in all \(runs) runs")
        }
        if let courses = points.first?.courses, runs > 1 {
            lines.append(
                courses == 1
                    ? "the \(runs) runs from the beginning are all the same: the random values changed nothing"
                    : "the \(runs) runs from the beginning took \(courses) different courses")
        }
        return lines + ["random in each run: \(randomized)"]
    }
}

/// Runs a recording's scenario with other random seeds, from each of its events.
package struct OddsFinder {
    private let scenario: Scenario
    private let decoded: DecodedSession
    private let timing: UInt64
    private let play: (Scenario, ScenarioRun.Reseeding?) -> Run

    /// The result of one run.
    package struct Run {
        /// True if the outcome occurred.
        var holds: Bool
        /// A checksum of the run. It is equal for runs with the same events at the same times.
        var chain: UInt64
    }

    /// - Parameters:
    ///   - timing: how much the waits between commands vary, in thousandths. Each wait after the event becomes longer
    ///     or shorter by at most this share, as if another person typed the commands.
    ///   - play: plays the scenario with other random seeds.
    package init(
        _ decoded: DecodedSession, timingPerMille timing: UInt64,
        play: @escaping (Scenario, ScenarioRun.Reseeding?) -> Run
    ) throws {
        scenario = try Scenario(decoded)
        self.decoded = decoded
        self.timing = timing
        self.play = play
    }

    /// True if the outcome occurs in the recording itself.
    package var occursInRecording: Bool { play(scenario, nil).holds }

    /// - Parameters:
    ///   - runs: the number of runs from each event.
    ///   - pointsMax: the maximum number of examined events, at least 2. If there are more, every n-th event and the last
    ///     one are examined.
    ///   - progress: called after each event, with the number of finished events and the number of all events. The
    ///     search ends if it returns false.
    package func find(
        runs: Int, pointsMax: Int = 60, words: (SessionEvent) -> String, progress: (Int, Int) -> Bool = { _, _ in true }
    ) -> Odds {
        let all = points()
        // One of the points is the last event, which is always examined.
        let stride = max(1, (all.count + pointsMax - 3) / (pointsMax - 1))
        let selected = all.indices.filter { $0 % stride == 0 || $0 == all.count - 1 }.map { all[$0] }
        var odds = Odds(points: [], runs: runs, randomized: randomized)
        for (done, point) in selected.enumerated() {
            var count = 0
            var courses: Set<UInt64> = []
            for run in 0..<runs {
                let seed = Self.seed(of: run, after: point.events)
                let reseeding = ScenarioRun.Reseeding(afterEvent: point.events, seed: seed, timingPerMille: timing)
                let played = play(scenario, reseeding)
                if played.holds { count += 1 }
                courses.insert(played.chain)
            }
            odds.points.append(
                Odds.EventOdds(
                    number: point.event?.number ?? 0, time: point.event?.time ?? .zero, node: point.event?.node ?? "",
                    words: point.event.map(words) ?? "the beginning", count: count,
                    courses: courses.count))
            guard progress(done + 1, selected.count) else { break }
        }
        return odds
    }

    private var randomized: String {
        let isOrderRandom = scenario.order == .drawn
        var varying = [
            "loss and jitter of the network", "the random numbers of clients and server (retry jitter, seeds, ids)",
        ]
        if isOrderRandom { varying.append("the order of simultaneous events") }
        if timing > 0 { varying.append("the waits between commands, up to \(timing) thousandths") }
        var constant = ["commands"]
        if timing == 0 { constant.append("their times") }
        if !isOrderRandom { constant.append("the order of simultaneous events") }
        return varying.joined(separator: ", ") + "; the same in each run: " + constant.joined(separator: ", ")
    }

    /// The events that can decide an outcome: faults, commands, changes of state and kicks. `events` is the number of
    /// events that a run repeats before its seed changes.
    private func points() -> [(events: Int, event: SessionEvent?)] {
        var points: [(events: Int, event: SessionEvent?)] = [(0, nil)]
        var count = 0
        for event in decoded.events {
            switch event.content {
            case .header, .clock, .keyframe, .closing, .unreadable: continue
            case .start, .stop, .environment, .mark, .input, .effect: count += 1
            }
            let isSelected: Bool =
                switch event.content {
                case .environment, .effect(.transition): true
                case .input(.clientCommand), .input(.serverCommand): true
                case .effect(.send(_, let frame)): if case .kicked = frame.body { true } else { false }
                default: false
                }
            if isSelected { points.append((count, event)) }
        }
        return points
    }

    /// The seed of a run that continues after a number of events. It is the same on every computer.
    private static func seed(of run: Int, after events: Int) -> UInt64 {
        var random = SeededRandom(seed: UInt64(events) << 32 | UInt64(run))
        return random.next()
    }
}
