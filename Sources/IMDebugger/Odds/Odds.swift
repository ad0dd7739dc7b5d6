import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

/// In how many runs something occurs that continue from each event of a recording. The events up to there stay, and
/// everything random after it has another seed. The event from which it occurs in all runs is where to search.
public struct Odds: Sendable {
    /// An event of a recording, and the results of the runs from there.
    public struct EventOdds: Hashable, Sendable, Codable {
        /// The number of the last event before the random seeds change; 0 for the beginning.
        public var number: UInt64
        /// The time of the event, in the session's time.
        public var time: Instant
        /// The event's node.
        public var node: String
        /// The text of the event.
        public var words: String
        /// The number of runs in which it occurred.
        public var count: Int
        /// The number of runs that differ from each other, in events or in their times: 1 if the seeds changed nothing.
        public var courses: Int
    }

    /// In the order of the recording.
    public var places: [EventOdds]
    /// The number of runs from each event.
    public var runs: Int

    /// The values that each run draws again, and those that it keeps.
    public var drawn = ""

    /// The first event from which it occurred in all runs; nil if there is none.
    public var alwaysFrom: EventOdds? {
        guard let last = places.lastIndex(where: { $0.count < runs }) else { return places.first }
        return last + 1 < places.count ? places[last + 1] : nil
    }

    /// The 95 % Wilson interval of the probability after an event, in percent.
    public func interval(_ point: EventOdds) -> (low: Double, high: Double) {
        let (count, runs, z) = (Double(point.count), Double(max(1, runs)), 1.96)
        let share = count / runs
        let middle = share + z * z / (2 * runs)
        let width = z * (share * (1 - share) / runs + z * z / (4 * runs * runs)).squareRoot()
        let scale = 100 / (1 + z * z / runs)
        return (max(0, (middle - width) * scale), min(100, (middle + width) * scale))
    }

    /// `60 of 60 runs (94-100 %)`.
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
        if let courses = places.first?.courses, runs > 1 {
            lines.append(
                courses == 1
                    ? "the \(runs) runs from the beginning are all the same: the random values changed nothing"
                    : "the \(runs) runs from the beginning took \(courses) different courses")
        }
        return lines + ["random in each run: \(drawn)"]
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
        /// A checksum that is equal for runs with the same events at the same times.
        var chain: UInt64
    }

    /// - Parameters:
    ///   - timing: each later wait is longer or shorter by at most this many thousandths, like the timing of another
    ///     person.
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

    /// True if the recording itself shows it.
    package var isShown: Bool { play(scenario, nil).holds }

    /// - Parameters:
    ///   - runs: the number of runs from each event.
    ///   - placesMax: the maximum number of events; beyond it, they are evenly sampled.
    ///   - progress: called after each event with the number of finished events and of all; false ends the search.
    package func find(
        runs: Int, placesMax: Int = 60, words: (SessionEvent) -> String, progress: (Int, Int) -> Bool = { _, _ in true }
    ) -> Odds {
        let all = places()
        let stride = max(1, (all.count + placesMax - 1) / placesMax)
        let chosen = all.indices.filter { $0 % stride == 0 || $0 == all.count - 1 }.map { all[$0] }
        var odds = Odds(places: [], runs: runs, drawn: drawn)
        for (done, point) in chosen.enumerated() {
            var count = 0
            var courses: Set<UInt64> = []
            for run in 0..<runs {
                let seed = SeededRandomDraw.seed(of: run, at: point.events)
                let reseeding = ScenarioRun.Reseeding(afterEvent: point.events, seed: seed, timingPerMille: timing)
                let played = play(scenario, reseeding)
                if played.holds { count += 1 }
                courses.insert(played.chain)
            }
            odds.places.append(
                Odds.EventOdds(
                    number: point.event?.number ?? 0, time: point.event?.time ?? .zero, node: point.event?.node ?? "",
                    words: point.event.map(words) ?? "the beginning", count: count,
                    courses: courses.count))
            guard progress(done + 1, chosen.count) else { break }
        }
        return odds
    }

    private var drawn: String {
        let isDrawn = scenario.order == .drawn
        var again = [
            "loss and jitter of the network", "the random numbers of clients and server (retry jitter, seeds, ids)",
        ]
        if isDrawn { again.append("the order of simultaneous events") }
        if timing > 0 { again.append("the waits between commands, up to \(timing) thousandths") }
        var kept = ["commands"]
        if timing == 0 { kept.append("their times") }
        if !isDrawn { kept.append("the order of simultaneous events") }
        return again.joined(separator: ", ") + "; the same in each run: " + kept.joined(separator: ", ")
    }

    /// The events that matter: events from outside, changes of state, kicks.
    private func places() -> [(events: Int, event: SessionEvent?)] {
        var places: [(events: Int, event: SessionEvent?)] = [(0, nil)]
        var count = 0
        for event in decoded.events {
            switch event.content {
            case .header, .clock, .keyframe, .closing, .unreadable: continue
            case .start, .stop, .environment, .mark, .input, .effect: count += 1
            }
            let isOfNote: Bool =
                switch event.content {
                case .environment, .effect(.transition): true
                case .input(.clientCommand), .input(.serverCommand): true
                case .effect(.send(_, let frame)): if case .kicked = frame.body { true } else { false }
                default: false
                }
            if isOfNote { places.append((count, event)) }
        }
        return places
    }
}

/// A seed for each run from each event, equal on every machine.
private enum SeededRandomDraw {
    static func seed(of run: Int, at point: Int) -> UInt64 {
        var random = SeededRandom(seed: UInt64(point) << 32 | UInt64(run))
        return random.next()
    }
}
