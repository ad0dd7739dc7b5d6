import IMCheckers
import IMDebugger
import IMProfiles

/// The findings and the coverage of a search. Merged in any order, the reports of all parts of a search are equal to
/// the report of the whole search.
public struct ExploreReport: Hashable, Sendable, Codable {
    /// All failures of one kind.
    public struct Failure: Hashable, Sendable, Codable {
        /// The violation of the scenario with the smallest seed.
        public var violation: Violation
        /// The profile of the scenario with the smallest seed.
        public var profile: String
        /// The smallest seed whose scenario has a failure of this kind.
        public var seed: UInt64
        /// The only profile that the search used; nil for all profiles. It is needed to reproduce the scenario from the
        /// seed.
        public var onlyProfile: String?
        /// The number of seeds whose scenarios have a failure of this kind.
        public var count: Int
        /// The number of commands in the scenario with the smallest seed.
        public var commands: Int
        /// The path of the recording; nil if none was written.
        public var file: String?
        /// The shrunk scenario, as lines of a script; nil if it was not shrunk.
        public var shortest: [String]?
    }

    /// The number of scenarios, and of all their events. Events before a snapshot count once, in the scenario from
    /// which others continue.
    public var scenarios = 0
    public var events = 0
    /// The failures by ``Violation/group``.
    public var failures: [String: Failure] = [:]
    /// The seeds that reached new coverage within their block, ascending.
    public var kept: [UInt64] = []
    /// The coverage.
    public var coverage = CoverageSummary()
    /// The profiles that were played.
    public var profiles: Set<String> = []

    /// An empty report.
    public init() {}

    /// The coverage of a search, as stored in a report.
    public struct CoverageSummary: Hashable, Sendable, Codable {
        /// The smallest seed that reached each key.
        public var first: [String: UInt64] = [:]
        /// How often each rare event happened, by name.
        public var counts: [String: Int] = [:]

        /// An empty coverage.
        public init() {}

        init(_ coverage: Coverage) {
            first = coverage.first
            for (happened, count) in coverage.counts { counts[happened.rawValue] = count }
        }
    }

    /// - Parameter onlyProfile: the only profile that is searched; nil for all.
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

    /// Adds the report of another part of the search.
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

    /// Encodes equal reports to equal bytes: the profiles are sorted, because a set has no order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(scenarios, forKey: .scenarios)
        try container.encode(events, forKey: .events)
        try container.encode(failures, forKey: .failures)
        try container.encode(kept, forKey: .kept)
        try container.encode(coverage, forKey: .coverage)
        try container.encode(profiles.sorted(), forKey: .profiles)
    }

    /// The failures, sorted by their smallest seed.
    public var sortedFailures: [Failure] {
        failures.values.sorted { ($0.seed, $0.violation.group) < ($1.seed, $1.violation.group) }
    }

    /// The rare events that are possible in the played profiles and did not happen.
    public var missingEvents: [RareEvent] {
        let policies = profiles.compactMap { Dialects.named($0)?.clientPolicy }
        return RareEvent.allCases.filter { happened in
            (coverage.counts[happened.rawValue] ?? 0) == 0 && policies.contains { happened.isPossible(in: $0) }
        }
    }

    /// The rules that can apply in the played profiles and did not, by profile.
    public var unreachedRules: [(profile: String, rules: [String])] {
        unreached {
            RuleCoverage.rules(of: $0.profile)
        } key: {
            Coverage.ruleKey($0, $1)
        }
    }

    /// The branches of the policies of the played profiles that were not taken, by profile.
    public var unreachedBranches: [(profile: String, branches: [String])] {
        unreached {
            PolicyCoverage.branches(of: $0)
        } key: {
            Coverage.branchKey($0, $1)
        }.map { ($0.profile, $0.rules) }
    }

    /// True if the search reached all rare events, rules and branches. Only then is it significant that the search
    /// found no violation.
    public var isComplete: Bool { missingEvents.isEmpty && unreachedRules.isEmpty && unreachedBranches.isEmpty }

    private func unreached(
        _ all: (any Dialect) -> [String], key: (String, String) -> String
    ) -> [(profile: String, rules: [String])] {
        profiles.sorted().compactMap { profile in
            guard let dialect = Dialects.named(profile) else { return nil }
            let missing = all(dialect).filter { coverage.first[key(profile, $0)] == nil }
            return missing.isEmpty ? nil : (profile, missing)
        }
    }
}
