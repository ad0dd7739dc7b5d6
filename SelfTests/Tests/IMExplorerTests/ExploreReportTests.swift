import Foundation
import IMDebugger
import IMProfiles
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// The merged reports of the parts equal the report of the whole search, and the page of a report shows all its data.
@Suite struct ExploreReportTests {
    typealias Failure = ExploreReport.Failure

    /// A search with a checker that fails on purpose. It fails in all scenarios with at least 400 events, and in no
    /// other one.
    private static func explorer(_ profile: String? = nil) -> Explorer {
        var settings = Explorer.Settings()
        settings.canaryAt = 400
        settings.profile = profile
        settings.twiceEvery = 0
        settings.metamorphicEvery = 0
        return Explorer(settings)
    }

    private static func merged(_ reports: [ExploreReport]) -> ExploreReport {
        reports.reduce(into: ExploreReport()) { $0.merge($1) }
    }

    private static func bytes(_ report: ExploreReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    private static func failure(
        _ checker: CheckerName = .kicks, _ rule: String = "C-6", _ kind: String = "nobody is notified",
        _ detail: String = "",
        profile: String = "nim", seed: UInt64, count: Int = 1
    ) -> Failure {
        Failure(
            violation: Violation(checker, rule, kind, detail), profile: profile, seed: seed, count: count, commands: 9)
    }

    private static func report(_ failures: [Failure]) -> ExploreReport {
        var report = ExploreReport()
        report.scenarios = 100
        report.events = 5000
        report.profiles = ["nim"]
        for failure in failures { report.failures[failure.violation.group] = failure }
        return report
    }

    // MARK: Merging

    @Test func mergedShardsEqualTheWholeInAnyOrder() throws {
        let seeds: Range<UInt64> = 10..<200
        let explorer = Self.explorer()
        let blocks = Explorer.blocks(of: seeds)
        #expect(blocks == 0..<4)
        let parts = try blocks.map { try explorer.search($0, seeds: seeds) }
        let whole = Self.merged(parts)
        #expect(whole.scenarios == 190)
        #expect(!whole.failures.isEmpty)
        #expect(!whole.coverage.first.isEmpty)
        let shards = [Self.merged([parts[0], parts[2]]), Self.merged([parts[1], parts[3]])]
        for order in [shards, shards.reversed(), parts.reversed(), [parts[2], shards[1], parts[0]]] {
            let merged = Self.merged(order)
            #expect(merged == whole)
            #expect(try Self.bytes(merged) == Self.bytes(whole))
        }
    }

    @Test func aReportIsReadAsItWasWritten() throws {
        var report = Self.report([Self.failure(seed: 7, count: 3)])
        report.profiles = Set(Dialects.all.map(\.profile))
        report.failures[report.sortedFailures[0].violation.group]?.shortest = ["login alice", "check rules"]
        report.coverage.first = ["client online × frame kicked": 4]
        let text = try Self.bytes(report)
        let read = try JSONDecoder().decode(ExploreReport.self, from: Data(text.utf8))
        #expect(read == report)
        #expect(try Self.bytes(read) == text)
        // The order of a set differs in each process, but the bytes of a report must not.
        let names = Dialects.all.map { "\"\($0.profile)\"" }.sorted().joined(separator: ",")
        #expect(text.contains("\"profiles\":[\(names)]"))
    }

    @Test func theSmallestSeedOfAKindStaysAndCountsAdd() {
        let late = Self.report([Self.failure(seed: 90, count: 2)])
        let early = Self.report([Self.failure(seed: 8, count: 5), Self.failure(.links, "C-2", "two links", seed: 3)])
        for merged in [Self.merged([late, early]), Self.merged([early, late])] {
            #expect(merged.sortedFailures.map(\.seed) == [3, 8])
            #expect(merged.sortedFailures.map(\.count) == [1, 7])
            #expect(merged.scenarios == 200)
        }
    }

    @Test func mergedCoverageHasTheSmallerSeedsAndAddedCounts() {
        var one = ExploreReport()
        one.coverage.first = ["a": 5, "b": 9]
        one.coverage.counts = ["x": 2]
        var two = ExploreReport()
        two.coverage.first = ["a": 7, "b": 1, "c": 3]
        two.coverage.counts = ["x": 3, "y": 1]
        for merged in [Self.merged([one, two]), Self.merged([two, one])] {
            #expect(merged.coverage.first == ["a": 5, "b": 1, "c": 3])
            #expect(merged.coverage.counts == ["x": 5, "y": 1])
        }
    }

    // MARK: Reproduction

    @Test func theReplayCommandNamesTheFailuresSystem() throws {
        let seeds: Range<UInt64> = 0..<24
        let one = try Self.explorer("nim").search(0, seeds: seeds)
        let failure = try #require(one.sortedFailures.first)
        #expect(failure.onlyProfile == "nim")
        let again = "\(failure.seed) --canary 400 --profile nim"
        #expect(failure.reproduction == ["imrepl-explore --seeds \(again)", "imrepl-explore shrink \(again)"])
        let all = try Self.explorer().search(0, seeds: seeds)
        #expect(all.failures.values.allSatisfy { $0.onlyProfile == nil })
    }

    @Test func aSessionIsOneArgumentOfTheCommand() {
        var failure = Self.failure(seed: 12)
        #expect(failure.reproduction == ["imrepl-explore shrink 12"])
        failure.file = "explored/it's $HOME.pcapng"
        #expect(
            failure.reproduction == [
                #"imrepl-explore shrink 'explored/it'\''s $HOME.pcapng'"#, "imrepl-explore shrink 12",
            ])
        failure.file = "explored/nim-kicks-12.pcapng"
        #expect(failure.reproduction[0] == "imrepl-explore shrink explored/nim-kicks-12.pcapng")
    }

    @Test func deliberateFailuresAreShrunkToo() throws {
        let explorer = Self.explorer("nim")
        let failure = try #require(try explorer.search(0, seeds: 0..<24).sortedFailures.first)
        var (scenario, _) = try explorer.scenario(of: failure.seed)
        scenario.steps += scenario.ending(try #require(Dialects.named("nim")))
        #expect(Shrinker.keeping(failure.violation, canaryAt: 400)(scenario))
        #expect(!Shrinker.keeping(failure.violation)(scenario))
    }
}
