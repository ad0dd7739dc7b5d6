import IMCheckers
import IMDebugger
import IMProfiles

/// What a search found and reached. Reports of parts of a search merge to that of the whole, exactly and in any order.
public struct ExploreReport: Hashable, Sendable, Codable {
    /// Failures of one kind.
    public struct Failure: Hashable, Sendable, Codable {
        /// What was broken the first time.
        public var violation: Violation
        /// The system of that scenario.
        public var profile: String
        /// The smallest seed that shows it.
        public var seed: UInt64
        /// The only system that was searched, without which the seed is another scenario; nil for all.
        public var onlyProfile: String?
        /// How many seeds showed it.
        public var count: Int
        /// How many things are done in that scenario.
        public var commands: Int
        /// The recording of it, where one was written.
        public var file: String?
        /// The shortest scenario for it, as lines of a script, where it was looked for.
        public var shortest: [String]?
    }

    /// How many scenarios were played, and how many events there were in them; the beginning of one that went on from
    /// another counts once.
    public var scenarios = 0
    public var events = 0
    /// By ``Violation/group``.
    public var failures: [String: Failure] = [:]
    /// Seeds that reached something new within their block, rising.
    public var kept: [UInt64] = []
    /// What was reached.
    public var coverage = CoverageSummary()
    /// The systems that were played.
    public var profiles: Set<String> = []

    /// Nothing.
    public init() {}

    /// What was reached, as a value.
    public struct CoverageSummary: Hashable, Sendable, Codable {
        /// The first seed that reached each key.
        public var first: [String: UInt64] = [:]
        /// How often each of the rare things happened, by what they are called.
        public var counts: [String: Int] = [:]

        /// Nothing.
        public init() {}

        init(_ coverage: Coverage) {
            first = coverage.first
            for (happened, count) in coverage.counts { counts[happened.rawValue] = count }
        }
    }

    /// - Parameter onlyProfile: the only system that is searched.
    mutating func note(
        _ seed: UInt64, _ scenario: Scenario, _ outcome: ScenarioPlayer.Outcome, onlyProfile: String?
    ) {
        scenarios += 1
        events += outcome.events - outcome.inherited
        profiles.insert(scenario.profile)
        guard let violation = outcome.violation else { return }
        add(
            Failure(
                violation: violation, profile: scenario.profile, seed: seed, onlyProfile: onlyProfile, count: 1,
                commands: scenario.commandCount))
    }

    private mutating func add(_ failure: Failure) {
        let group = failure.violation.group
        guard var known = failures[group] else {
            failures[group] = failure
            return
        }
        let count = known.count + failure.count
        if failure.seed < known.seed { known = failure }
        known.count = count
        failures[group] = known
    }

    /// Takes in the report of another part.
    public mutating func merge(_ other: ExploreReport) {
        scenarios += other.scenarios
        events += other.events
        for failure in other.failures.values { add(failure) }
        kept = (kept + other.kept).sorted()
        for (key, seed) in other.coverage.first {
            coverage.first[key] = min(coverage.first[key] ?? .max, seed)
        }
        for (key, count) in other.coverage.counts { coverage.counts[key, default: 0] += count }
        profiles.formUnion(other.profiles)
    }

    /// The same report is the same bytes: a set is in no order of its own.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(scenarios, forKey: .scenarios)
        try container.encode(events, forKey: .events)
        try container.encode(failures, forKey: .failures)
        try container.encode(kept, forKey: .kept)
        try container.encode(coverage, forKey: .coverage)
        try container.encode(profiles.sorted(), forKey: .profiles)
    }

    /// The failures, the one with the smallest seed first.
    public var sortedFailures: [Failure] {
        failures.values.sorted { ($0.seed, $0.violation.group) < ($1.seed, $1.violation.group) }
    }

    /// The rare things that could have happened in the systems played, and never did.
    public var neverHappened: [Sometimes] {
        let policies = profiles.compactMap { Dialects.named($0)?.clientPolicy }
        return Sometimes.allCases.filter { happened in
            (coverage.counts[happened.rawValue] ?? 0) == 0 && policies.contains { happened.isPossible(in: $0) }
        }
    }

    /// The rules that could have decided something in the systems played, and never did, by system.
    public var rulesNeverSeen: [(profile: String, rules: [String])] {
        unseen {
            RuleCoverage.rules(of: $0.profile)
        } key: {
            Coverage.ruleKey($0, $1)
        }
    }

    /// The branches of the systems' policies that were never taken, by system.
    public var branchesNeverTaken: [(profile: String, branches: [String])] {
        unseen {
            PolicyCoverage.branches(of: $0)
        } key: {
            Coverage.branchKey($0, $1)
        }.map { ($0.profile, $0.rules) }
    }

    /// Whether everything was seen that a search has to have seen before its silence means anything.
    public var isComplete: Bool { neverHappened.isEmpty && rulesNeverSeen.isEmpty && branchesNeverTaken.isEmpty }

    private func unseen(
        _ all: (any Dialect) -> [String], key: (String, String) -> String
    ) -> [(profile: String, rules: [String])] {
        profiles.sorted().compactMap { profile in
            guard let dialect = Dialects.named(profile) else { return nil }
            let missing = all(dialect).filter { coverage.first[key(profile, $0)] == nil }
            return missing.isEmpty ? nil : (profile, missing)
        }
    }
}
