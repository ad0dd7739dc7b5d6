import IMDialects
import IMSession
import IMSimulation
import Recorder
import SansIO

/// How likely something still is, from each place of a recording on, when chance is drawn anew: what was decided by then
/// stays, and everything later has another seed. Where it becomes certain is where to look.
public struct Odds: Sendable {
    /// A place of a recording, and how likely it is from there.
    public struct Place: Hashable, Sendable, Codable {
        /// The number of the event behind which chance is drawn anew; 0 for the beginning.
        public var number: UInt64
        /// When that was, in the session's time.
        public var time: Instant
        /// The event's node, and what happened.
        public var node: String
        public var words: String
        /// In how many of the runs it came about.
        public var count: Int
    }

    /// In the order of the recording.
    public var places: [Place]
    /// How often each place was tried.
    public var runs: Int

    /// The first place from which on it is certain; nil where it never is.
    public var certainFrom: Place? {
        guard let last = places.lastIndex(where: { $0.count < runs }) else { return places.first }
        return last + 1 < places.count ? places[last + 1] : nil
    }
}

/// Tries a recording's scenario with fresh chance, from each of its places.
package struct OddsFinder {
    private let scenario: Scenario
    private let decoded: DecodedSession
    private let timing: UInt64
    private let holds: (Scenario, ScenarioPlayer.FreshChance?) -> Bool

    /// - Parameters:
    ///   - timing: by so many thousandths at most each later wait is longer or shorter, as with another hand.
    ///   - holds: whether a scenario with fresh chance shows what is looked for.
    package init(
        _ decoded: DecodedSession, timingPerMille timing: UInt64,
        holds: @escaping (Scenario, ScenarioPlayer.FreshChance?) -> Bool
    ) throws {
        scenario = try Scenario(decoded)
        self.decoded = decoded
        self.timing = timing
        self.holds = holds
    }

    /// Whether the recording itself shows it.
    package var isShown: Bool { holds(scenario, nil) }

    /// - Parameters:
    ///   - runs: how often each place is tried.
    ///   - placesMax: no more places than this; the rest is spread evenly.
    ///   - progress: is told of each place that is done, and how many there are; false ends it.
    package func find(
        runs: Int, placesMax: Int = 60, words: (SessionEvent) -> String, progress: (Int, Int) -> Bool = { _, _ in true }
    ) -> Odds {
        let all = places()
        let stride = max(1, (all.count + placesMax - 1) / placesMax)
        let chosen = all.indices.filter { $0 % stride == 0 || $0 == all.count - 1 }.map { all[$0] }
        var odds = Odds(places: [], runs: runs)
        for (done, place) in chosen.enumerated() {
            var count = 0
            for run in 0..<runs {
                let seed = SeededRandomDraw.seed(of: run, at: place.events)
                let fresh = ScenarioPlayer.FreshChance(afterEvent: place.events, seed: seed, timingPerMille: timing)
                if holds(scenario, fresh) { count += 1 }
            }
            odds.places.append(
                Odds.Place(
                    number: place.event?.number ?? 0, time: place.event?.time ?? .zero, node: place.event?.node ?? "",
                    words: place.event.map(words) ?? "the beginning", count: count))
            guard progress(done + 1, chosen.count) else { break }
        }
        return odds
    }

    /// The places that matter: where something came from outside, where a state changed, where an app was told.
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

/// A seed for each run from each place, the same on every machine.
private enum SeededRandomDraw {
    static func seed(of run: Int, at place: Int) -> UInt64 {
        var random = SeededRandom(seed: UInt64(place) << 32 | UInt64(run))
        return random.next()
    }
}
