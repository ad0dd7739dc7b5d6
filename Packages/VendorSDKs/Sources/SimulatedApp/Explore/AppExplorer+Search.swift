import Foundation
import SansIO

extension AppExplorer {
    /// A failure for one kind of violation.
    public struct Failure: Sendable, CustomStringConvertible {
        public var violation: AppViolation
        /// The seed that first found it. It decides the order and the network of the scenario.
        public var seed: UInt64
        /// The shrunk scenario.
        public var scenario: AppScenario
        /// The session of the shrunk scenario.
        public var session: [UInt8]
        /// The written test and session. Nil if none were requested.
        public var files: FailureFiles?

        public var description: String {
            "\(violation)\nseed \(seed)\n\(scenario)" + (files.map { "\n\($0)" } ?? "")
        }
    }

    /// Plays a scenario for each seed, and shrinks the first of each kind of violation.
    ///
    /// - Parameters:
    ///   - countMax: the number of kinds of failures at which the search stops.
    ///   - folder: the folder for each failure, as a session and as a Swift test that fails as long as the bug exists.
    ///     The test compiles in the target that contains this explorer, under its ``name``.
    /// - Returns: a failure for each kind, in the order in which they were found.
    public func search(
        _ seeds: Range<UInt64>, upTo countMax: Int = .max, failuresIn folder: String? = nil
    ) async throws -> [Failure] {
        var failures: [Failure] = []
        var known: Set<String> = []
        var corpus: AppCorpus?
        for seed in seeds {
            failures += try await search(
                scenario(seed), seed, besides: &known, failuresIn: folder, number: nil, after: failures.count,
                corpus: &corpus, found: { _ in })
            if failures.count >= countMax { return Array(failures.prefix(countMax)) }
        }
        return failures
    }

    /// The scenario of a seed: a new one, or the continuation of one in the corpus.
    func scenario(_ seed: UInt64, corpus: AppCorpus? = nil) -> AppScenario {
        var driver = AppScenarioDriver(
            seed: seed, taps: taps.map(\.key) + calls.map(\.key), user: user, profile: profile)
        guard let entries = corpus?.entries, !entries.isEmpty else { return driver.scenario() }
        // Its own random stream, so that the scenario of a seed is the same without a corpus.
        var random = SeededRandom(seed: seed ^ 0x63_6f72_7075_73)
        guard random.below(2) == 0 else { return driver.scenario() }
        return driver.continuation(of: entries[Int(random.below(UInt64(entries.count)))].scenario)
    }

    /// Plays a scenario, shrinks each new kind of violation, and keeps a scenario that reaches something new.
    ///
    /// - Parameters:
    ///   - number: the number in the names of the files; nil counts the failures.
    ///   - count: the number of failures so far.
    func search(
        _ scenario: AppScenario, _ seed: UInt64, besides known: inout Set<String>, failuresIn folder: String?,
        number: Int?, after count: Int = 0, corpus: inout AppCorpus?,
        found: (Failure) -> Void
    ) async throws -> [Failure] {
        var failures: [Failure] = []
        let outcome = try await play(scenario, seed: seed)
        try corpus?.add(scenario, seed: seed, reached: outcome.reached)
        for violation in outcome.violations where known.insert(violation.kind).inserted {
            let short = try await shrink(scenario, seed: seed, keeping: violation.kind)
            let again = try await play(short, seed: seed)
            let kept = again.violations.first { $0.kind == violation.kind } ?? violation
            var failure = Failure(violation: kept, seed: seed, scenario: short, session: again.session)
            if let folder {
                failure.files = try FailureFiles(
                    of: kept, scenario: short, seed: seed, session: again.session, explorer: name, in: folder,
                    number: number ?? count + failures.count + 1)
            }
            failures.append(failure)
            found(failure)
        }
        return failures
    }

    /// Leaves out whatever the violation does not need, to a fixpoint.
    public func shrink(_ scenario: AppScenario, seed: UInt64, keeping kind: String) async throws -> AppScenario {
        var scenario = try await withFixedOrder(scenario, seed, kind)
        var size = max(1, scenario.steps.count / 2)
        while true {
            var index = 0
            var hasChanged = false
            while index < scenario.steps.count {
                var shorter = scenario
                shorter.steps.removeSubrange(index..<min(index + size, scenario.steps.count))
                if try await isKept(shorter, seed, kind) {
                    scenario = shorter
                    hasChanged = true
                } else {
                    index += size
                }
            }
            if size > 1 { size /= 2 } else if !hasChanged { break }
        }
        for index in scenario.steps.indices {
            guard case .wait(let length) = scenario.steps[index] else { continue }
            for shorter in [100, 1000, 5000, 20_000] where shorter < length {
                var other = scenario
                other.steps[index] = .wait(shorter)
                guard try await isKept(other, seed, kind) else { continue }
                scenario = other
                break
            }
        }
        return try await withFixedOrder(scenario, seed, kind)
    }

    /// A bug that needs a drawn order differs from one that does not; the scenario records which.
    private func withFixedOrder(_ scenario: AppScenario, _ seed: UInt64, _ kind: String) async throws -> AppScenario {
        let fixed = AppScenario(scenario.steps)
        guard scenario.order != .fixed, try await isKept(fixed, seed, kind) else { return scenario }
        return fixed
    }

    private func isKept(_ scenario: AppScenario, _ seed: UInt64, _ kind: String) async throws -> Bool {
        try await play(scenario, seed: seed).violations.contains { $0.kind == kind }
    }
}

extension AppViolation {
    /// Equal for the same bug: the text without numbers.
    var kind: String { "\(rule) \(text.filter { !$0.isNumber })" }
}
