import IMCheckers
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// Searches for scenarios that break a rule, one for each seed.
///
/// A search processes its seeds in blocks of ``blockLength``. Within a block, scenarios that reach new coverage are
/// kept and mutated. Nothing passes from one block to the next, so the findings of a block depend only on its seeds.
/// Therefore a search gives the same result with any number of threads and computers.
public struct Explorer: Sendable {
    /// The number of seeds in a block.
    public static let blockLength: UInt64 = 64
    /// The number of scenarios at the start of a block that are always generated and never mutated.
    private static let freshCount: UInt64 = 24

    /// The settings of a search.
    public struct Settings: Sendable {
        /// The only profile to search; nil for all profiles.
        public var profile: String?
        /// The interval, in seeds, at which a scenario is played twice to compare both runs; 0 for never.
        public var twiceEvery: UInt64 = 32
        /// The number of events after which each scenario reports a violation on purpose; nil for never.
        public var canaryAt: Int?
        /// True if checkers observe the scenarios.
        public var hasCheckers = true
        /// True if scenarios that reached new coverage are mutated.
        public var isGuided = true
        /// The scenarios that earlier searches kept.
        public var corpus: [Scenario] = []
        /// The self-checks of recordings, at every ``selfChecksEvery``-th seed; nil for none.
        public var selfChecks: RecordingSelfChecks?
        /// The interval, in seeds, of ``selfChecks``. They play a scenario several times, so they are slow. The
        /// interval is no divisor of ``blockLength``, because the seeds at fixed positions of a block might never be
        /// mutated.
        public var selfChecksEvery: UInt64 = 149
        /// The interval, in seeds, of continuing a recording from within, for scenarios that change a clock or have
        /// rare states.
        public var clocksEvery: UInt64 = 16
        /// The interval, in seeds, of checking the causes of kicks, for scenarios that may kick a disconnected device.
        public var kicksEvery: UInt64 = 16
        /// The interval, in seeds, of metamorphic checks.
        public var metamorphicEvery: UInt64 = 48
        /// The interval, in seeds, at which machines are encoded and decoded.
        public var statesEvery: UInt64 = 48

        /// The default settings: all profiles and all checks.
        public init() {}
    }

    /// The settings.
    public let settings: Settings

    /// Creates a search with these settings.
    public init(_ settings: Settings = Settings()) { self.settings = settings }

    /// The blocks that contain the seeds of a range.
    public static func blocks(of seeds: Range<UInt64>) -> Range<UInt64> {
        guard !seeds.isEmpty else { return 0..<0 }
        return (seeds.lowerBound / blockLength)..<((seeds.upperBound - 1) / blockLength + 1)
    }

    /// Searches one block.
    ///
    /// - Parameters:
    ///   - seeds: the seeds whose scenarios count. Earlier seeds of the block are played too, because the later
    ///     scenarios depend on their coverage.
    ///   - visit: is called with each scenario that counts and its outcome, before the next scenario; returns false to
    ///     end the search.
    public func search(
        _ block: UInt64, seeds: Range<UInt64>,
        visit: (_ seed: UInt64, _ scenario: Scenario, _ outcome: ScenarioPlayer.Outcome) throws -> Bool = { _, _, _ in
            true
        }
    ) throws -> ExploreReport {
        var report = ExploreReport()
        let coverage = Coverage()
        var corpus: [Kept] = settings.corpus.map { Kept(scenario: $0, stepIndex: $0.steps.count / 2, snapshot: nil) }
        let first = block * Self.blockLength
        for seed in first..<min(first + Self.blockLength, seeds.upperBound) {
            let (scenario, snapshot) = scenario(seed, seed - first, corpus)
            if let dialect = Dialects.named(scenario.profile) {
                coverage.begin(seed, dialect, from: snapshot?.observations, behind: snapshot?.steps.count ?? 0)
            }
            let (outcome, reached) = try play(scenario, seed, coverage, from: snapshot)
            if let stepIndex = coverage.newAt, outcome.violation == nil, stepIndex < scenario.steps.count {
                corpus.append(Kept(scenario: scenario, stepIndex: stepIndex, snapshot: reached))
                if seeds.contains(seed) { report.kept.append(seed) }
            }
            guard seeds.contains(seed) else { continue }
            report.note(seed, scenario, outcome, onlyProfile: settings.profile)
            guard try visit(seed, scenario, outcome) else { break }
        }
        report.coverage = ExploreReport.CoverageSummary(coverage)
        return report
    }

    /// The scenario of a seed, with its outcome. Also plays the earlier seeds of the block, because the scenario
    /// depends on their coverage.
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
        /// The number of steps after which the scenario reached new coverage.
        var stepIndex: Int
        /// A snapshot at that position; nil if none was taken.
        var snapshot: ScenarioSnapshot?
    }

    /// The scenario of a seed, and the snapshot from which it continues; nil if it is played from the beginning.
    private func scenario(
        _ seed: UInt64, _ number: UInt64, _ corpus: [Kept]
    ) -> (Scenario, ScenarioSnapshot?) {
        var random = SeededRandom(seed: ~seed)
        let isFresh = number < Self.freshCount || !settings.isGuided || corpus.isEmpty || random.below(4) == 0
        guard !isFresh else { return (ScenarioDriver.scenario(seed: seed, profile: settings.profile), nil) }
        let parent = corpus[Int(random.below(UInt64(corpus.count)))]
        let others = corpus.filter { $0.scenario.profile == parent.scenario.profile }
        let other = others[Int(random.below(UInt64(others.count)))].scenario
        var mutation = ScenarioMutation(seed: random.next(), profile: parent.scenario.profile)
        let beginning = parent.snapshot?.steps ?? Array(parent.scenario.steps.prefix(parent.stepIndex + 1))
        let scenario = mutation.mutated(
            parent.scenario, at: parent.stepIndex, behind: beginning, with: other, seed: seed)
        return (scenario, parent.snapshot.flatMap { $0.begins(scenario) ? $0 : nil })
    }

    private func play(
        _ scenario: Scenario, _ seed: UInt64, _ coverage: Coverage, from snapshot: ScenarioSnapshot?
    ) throws -> (ScenarioPlayer.Outcome, ScenarioSnapshot?) {
        var options = ScenarioPlayer.Options()
        options.canaryAt = settings.canaryAt
        options.hasCheckers = settings.hasCheckers
        options.restartsApps = settings.metamorphicEvery > 0
        options.keepsSnapshot = settings.isGuided
        options.readsStates = settings.hasCheckers && settings.statesEvery > 0 && seed % settings.statesEvery == 5
        let played = try ScenarioPlayer(scenario, options, from: snapshot).playKeepingSnapshot(coverage)
        let reached = played.snapshot
        var outcome = played.outcome
        guard outcome.violation == nil, settings.hasCheckers else { return (outcome, reached) }
        if settings.twiceEvery > 0, seed % settings.twiceEvery == 0 {
            let again = try ScenarioPlayer(scenario, options).play()
            if again.chain != outcome.chain {
                outcome.add(Violation(.recorder, "C-16", "the same scenario has other events in the second run"))
            }
        }
        if let selfChecks = settings.selfChecks, settings.selfChecksEvery > 0, seed % settings.selfChecksEvery == 0 {
            if let violation = try selfChecks.violation(of: scenario, part: seed / settings.selfChecksEvery) {
                outcome.add(violation)
            }
        }
        // Clock changes, held frames and ended processes are rare. Scenarios with them get an additional check that a
        // recording continues from within.
        if let selfChecks = settings.selfChecks, settings.clocksEvery > 0, seed % settings.clocksEvery == 2 {
            let number = seed / settings.clocksEvery
            if scenario.setsClock, let violation = try selfChecks.violationContinuing(of: scenario, from: number) {
                outcome.add(violation)
            }
            if scenario.hasRareStates, let violation = try selfChecks.violationContinuing(ofRare: scenario, number) {
                outcome.add(violation)
            }
        }
        if let selfChecks = settings.selfChecks, settings.kicksEvery > 0, seed % settings.kicksEvery == 7,
            scenario.mayKickLate
        {
            if let violation = try selfChecks.kickViolation(in: scenario) { outcome.add(violation) }
        }
        if settings.metamorphicEvery > 0, seed % settings.metamorphicEvery == 1 {
            if let violation = try MetamorphicChecks.violation(of: scenario, number: seed / settings.metamorphicEvery) {
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
