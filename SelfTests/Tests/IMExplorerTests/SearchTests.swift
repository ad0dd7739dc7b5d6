import Foundation
import IMDebugger
import IMProfiles
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// A search over fixed seeds must find no violation in correct machines and reach the required coverage. Its result
/// must not depend on how it is divided.
@Suite struct SearchTests {
    /// The number of seeds for each profile, and the first seed. The environment variables IMREPL_EXPLORE_SEEDS and
    /// IMREPL_EXPLORE_FIRST replace them.
    static let seeds = environment("IMREPL_EXPLORE_SEEDS") ?? 640
    static let first = environment("IMREPL_EXPLORE_FIRST") ?? 0

    @Test(arguments: Dialects.all.map(\.profile))
    func noRuleIsBroken(_ profile: String) throws {
        var settings = Explorer.Settings()
        settings.profile = profile
        settings.selfChecks = RecordingSelfChecks()
        let explorer = Explorer(settings)
        let range = Self.first..<(Self.first + Self.seeds)
        var failures: [String] = []
        for block in Explorer.blocks(of: range) where failures.isEmpty {
            _ = try explorer.search(block, seeds: range) { seed, scenario, outcome in
                guard let violation = outcome.violation else { return true }
                failures.append("seed \(seed): \(violation.group): \(violation.text)\n\(shortest(scenario, violation))")
                return false
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    private func shortest(_ scenario: Scenario, _ violation: Violation) -> String {
        var whole = scenario
        if let dialect = Dialects.named(scenario.profile) { whole.steps += scenario.ending(dialect) }
        var shrinker = Shrinker(whole, triesMax: 2000, isKept: Shrinker.keeping(violation))
        return shrinker.shrink().scenario.steps.map { "  \($0.node) \($0.action)" }.joined(separator: "\n")
    }

    @Test func aSeedGivesTheSameScenarioEachTime() throws {
        for seed in [0, 17, 63, 200] as [UInt64] {
            let (one, went) = try Explorer().scenario(of: seed)
            let (two, again) = try Explorer().scenario(of: seed)
            #expect(one == two)
            #expect(went.chain == again.chain)
            #expect(went.events == again.events)
            #expect(
                try ScenarioRecording.bytes(of: one) == ScenarioRecording.bytes(of: two), "seed \(seed): other bytes")
        }
    }

    /// A search of this size must reach every rule and branch. `unreachedRules` lists a rule that it did not reach.
    @Test(arguments: Dialects.all.map(\.profile))
    func everyRuleIsTested(_ profile: String) throws {
        var settings = Explorer.Settings()
        settings.profile = profile
        settings.metamorphicEvery = 0
        let explorer = Explorer(settings)
        let range: Range<UInt64> = 0..<3840
        var report = ExploreReport()
        for block in Explorer.blocks(of: range) {
            report.merge(try explorer.search(block, seeds: range))
            if report.unreachedRules.isEmpty, report.unreachedBranches.isEmpty { break }
        }
        #expect(report.unreachedRules.flatMap(\.rules) == [])
        #expect(report.unreachedBranches.flatMap(\.branches) == [])
        let before = report
        report.coverage.first["rule \(profile) × C-9"] = nil
        #expect(report.unreachedRules.flatMap(\.rules) == ["C-9"])
        #expect(!report.isComplete)
        #expect(before.unreachedRules.isEmpty)
    }

    @Test func thePartsOfASearchEqualTheWhole() throws {
        let explorer = Explorer()
        let range: Range<UInt64> = 30..<200
        var whole = ExploreReport()
        for block in Explorer.blocks(of: range) { whole.merge(try explorer.search(block, seeds: range)) }
        var parts = ExploreReport()
        for block in Explorer.blocks(of: range).reversed() {
            var part = ExploreReport()
            part.merge(try explorer.search(block, seeds: range))
            parts.merge(part)
        }
        #expect(parts == whole)
        #expect(whole.scenarios == 170)
    }

    /// The search must report the deliberate violation in every scenario.
    @Test func aFailingCheckerIsReported() throws {
        var settings = Explorer.Settings()
        settings.canaryAt = 40
        let report = try Explorer(settings).search(0, seeds: 0..<16)
        #expect(report.failures.values.map(\.violation.checker) == [.canary])
        #expect(report.failures.values.first?.count == 16)
        #expect(report.failures.values.first?.seed == 0)
    }

    @Test func eventsThatNeverOccurredAreListed() {
        var report = ExploreReport()
        report.profiles = ["nim"]
        #expect(report.missingEvents.contains(.kickDuringSync))
        #expect(!report.missingEvents.contains(.transactionAgain))
        report.coverage.counts[RareEvent.kickDuringSync.rawValue] = 3
        #expect(!report.missingEvents.contains(.kickDuringSync))
    }

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}
