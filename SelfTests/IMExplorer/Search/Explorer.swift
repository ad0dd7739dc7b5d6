import IMCheckers
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// Searches for scenarios in which a rule is broken: one for each seed.
///
/// Seeds are searched in blocks of ``blockLength``, and what a block finds follows from its seeds alone: within it, what
/// reaches something new is kept and mutated, and nothing goes from one block to the next. So a search is the same
/// whether it runs on one thread or many, on one machine or a hundred.
public struct Explorer: Sendable {
    /// So many seeds belong together.
    public static let blockLength: UInt64 = 64
    /// So many of a block's scenarios are drawn anew before any is mutated.
    private static let freshCount: UInt64 = 24

    /// What is searched, and how.
    public struct Settings: Sendable {
        /// The only system; nil for all.
        public var profile: String?
        /// Each so many-th seed is played twice, which has to give the same.
        public var twiceEvery: UInt64 = 32
        /// Behind so many events of each scenario an oracle fails on purpose; nil for none.
        public var canaryAt: Int?
        /// Whether oracles look.
        public var hasOracles = true
        /// Whether scenarios that reached something are mutated.
        public var isGuided = true
        /// What earlier searches kept.
        public var corpus: [Scenario] = []
        /// Looks at the recording of each so many-th scenario; nil for nobody.
        public var laws: RecorderLaws?
        /// How often ``laws`` look, which play a scenario several times. No divisor of a block's length: at such seeds
        /// scenarios are never mutated ones.
        public var lawsEvery: UInt64 = 149
        /// How often a scenario in which a device's clock is set, or frames are held, is gone on with from within.
        public var clocksEvery: UInt64 = 16
        /// How often a scenario in which a device that is away may be kicked is asked by whom.
        public var kicksEvery: UInt64 = 16
        /// Each so many-th scenario is compared with one that must not differ.
        public var pairsEvery: UInt64 = 48
        /// The machines of each so many-th scenario are written down and read.
        public var statesEvery: UInt64 = 48

        /// All systems, with everything.
        public init() {}
    }

    /// What is searched, and how.
    public let settings: Settings

    /// A search.
    public init(_ settings: Settings = Settings()) { self.settings = settings }

    /// The blocks that the seeds of a range lie in.
    public static func blocks(of seeds: Range<UInt64>) -> Range<UInt64> {
        guard !seeds.isEmpty else { return 0..<0 }
        return (seeds.lowerBound / blockLength)..<((seeds.upperBound - 1) / blockLength + 1)
    }

    /// Searches one block.
    ///
    /// - Parameters:
    ///   - seeds: those of the block that count; the ones before them are played all the same, because what they reach
    ///     decides what the later ones are.
    ///   - visit: is shown each scenario that counts and how it went, before the next one; false ends the search.
    public func search(
        _ block: UInt64, seeds: Range<UInt64>,
        visit: (_ seed: UInt64, _ scenario: Scenario, _ outcome: ScenarioPlayer.Outcome) throws -> Bool = { _, _, _ in
            true
        }
    ) throws -> ExploreReport {
        var report = ExploreReport()
        let coverage = Coverage()
        var corpus: [Kept] = settings.corpus.map { Kept(scenario: $0, place: $0.steps.count / 2, moment: nil) }
        let first = block * Self.blockLength
        for seed in first..<min(first + Self.blockLength, seeds.upperBound) {
            let (scenario, moment) = scenario(seed, seed - first, corpus)
            if let dialect = Dialects.named(scenario.profile) {
                coverage.begin(seed, dialect, from: moment?.seen, behind: moment?.steps.count ?? 0)
            }
            let (outcome, reached) = try play(scenario, seed, coverage, from: moment)
            if let place = coverage.newAt, outcome.violation == nil, place < scenario.steps.count {
                corpus.append(Kept(scenario: scenario, place: place, moment: reached))
                if seeds.contains(seed) { report.kept.append(seed) }
            }
            guard seeds.contains(seed) else { continue }
            report.note(seed, scenario, outcome, onlyProfile: settings.profile)
            guard try visit(seed, scenario, outcome) else { break }
        }
        report.coverage = ExploreReport.CoverageSummary(coverage)
        return report
    }

    /// The scenario of a seed, with how it goes; what of its block lies before is played to find out.
    public func scenario(of seed: UInt64) throws -> (scenario: Scenario, outcome: ScenarioPlayer.Outcome) {
        var found: (Scenario, ScenarioPlayer.Outcome)?
        _ = try search(seed / Self.blockLength, seeds: seed..<(seed + 1)) { _, scenario, outcome in
            found = (scenario, outcome)
            return false
        }
        guard let found else { throw WorldError("there is no scenario of seed \(seed)") }
        return found
    }

    private struct Kept {
        var scenario: Scenario
        /// The step behind which it reached something.
        var place: Int
        /// The world as it was then.
        var moment: ScenarioMoment?
    }

    /// The scenario of a seed, and where it goes on from.
    private func scenario(
        _ seed: UInt64, _ number: UInt64, _ corpus: [Kept]
    ) -> (Scenario, ScenarioMoment?) {
        var random = SeededRandom(seed: ~seed)
        let isFresh = number < Self.freshCount || !settings.isGuided || corpus.isEmpty || random.below(4) == 0
        guard !isFresh else { return (ScenarioDriver.scenario(seed: seed, profile: settings.profile), nil) }
        let parent = corpus[Int(random.below(UInt64(corpus.count)))]
        let others = corpus.filter { $0.scenario.profile == parent.scenario.profile }
        let other = others[Int(random.below(UInt64(others.count)))].scenario
        var mutation = ScenarioMutation(seed: random.next(), profile: parent.scenario.profile)
        let beginning = parent.moment?.steps ?? Array(parent.scenario.steps.prefix(parent.place + 1))
        let scenario = mutation.mutated(
            parent.scenario, at: parent.place, behind: beginning, with: other, seed: seed)
        return (scenario, parent.moment.flatMap { $0.begins(scenario) ? $0 : nil })
    }

    private func play(
        _ scenario: Scenario, _ seed: UInt64, _ coverage: Coverage, from moment: ScenarioMoment?
    ) throws -> (ScenarioPlayer.Outcome, ScenarioMoment?) {
        var options = ScenarioPlayer.Options()
        options.canaryAt = settings.canaryAt
        options.hasOracles = settings.hasOracles
        options.restartsApps = settings.pairsEvery > 0
        options.keepsMoment = settings.isGuided
        options.readsStates = settings.hasOracles && settings.statesEvery > 0 && seed % settings.statesEvery == 5
        let played = try ScenarioPlayer(scenario, options, from: moment).playKeepingMoment(coverage)
        let reached = played.moment
        var outcome = played.outcome
        guard outcome.violation == nil, settings.hasOracles else { return (outcome, reached) }
        if settings.twiceEvery > 0, seed % settings.twiceEvery == 0 {
            let again = try ScenarioPlayer(scenario, options).play()
            if again.chain != outcome.chain {
                outcome.add(Violation(.recorder, "C-16", "the same scenario went another way the second time"))
            }
        }
        if let laws = settings.laws, settings.lawsEvery > 0, seed % settings.lawsEvery == 0 {
            if let violation = try laws.violation(of: scenario, part: seed / settings.lawsEvery) {
                outcome.add(violation)
            }
        }
        // A clock that was set, frames that are held and processes that have ended are rare, and what goes on from there
        // hangs on them.
        if let laws = settings.laws, settings.clocksEvery > 0, seed % settings.clocksEvery == 2 {
            let number = seed / settings.clocksEvery
            if scenario.setsClock, let violation = try laws.violationGoingOn(of: scenario, from: number) {
                outcome.add(violation)
            }
            if scenario.hasRareMoments, let violation = try laws.violationGoingOn(ofRare: scenario, number) {
                outcome.add(violation)
            }
        }
        if let laws = settings.laws, settings.kicksEvery > 0, seed % settings.kicksEvery == 7, scenario.mayKickLate {
            if let violation = try laws.violationOfKicks(in: scenario) { outcome.add(violation) }
        }
        if settings.pairsEvery > 0, seed % settings.pairsEvery == 1 {
            if let violation = try ScenarioPairs.violation(of: scenario, number: seed / settings.pairsEvery) {
                outcome.add(violation)
            }
        }
        return (outcome, reached)
    }
}

extension ScenarioPlayer.Outcome {
    mutating func add(_ violation: Violation) {
        violations.append(violation)
        self.violation = self.violation ?? violation
    }
}
