import Foundation

extension AppExplorer {
    /// What was found for one kind of violation.
    public struct Failure: Sendable, CustomStringConvertible {
        public var violation: AppViolation
        /// The seed that first found it, and which draws the order and the network of the scenario.
        public var seed: UInt64
        /// As short as it gets.
        public var scenario: AppScenario
        /// The session of the short scenario.
        public var session: [UInt8]
        /// The test and the session that were written; nil where nobody asked for any.
        public var files: FailureFiles?

        public var description: String {
            "\(violation)\nseed \(seed)\n\(scenario)" + (files.map { "\n\($0)" } ?? "")
        }
    }

    /// Plays a scenario for each seed; the first of each kind of violation is made short.
    ///
    /// - Parameters:
    ///   - countMax: how many kinds of failures are enough.
    ///   - folder: where each failure is written to, as a test in Swift that fails for as long as the bug is there, and
    ///     as a session. The test compiles in the target in which this explorer is, under its ``name``.
    /// - Returns: a failure for each kind, in the order in which they were found.
    public func search(
        _ seeds: Range<UInt64>, upTo countMax: Int = .max, failuresIn folder: String? = nil
    ) async throws -> [Failure] {
        var failures: [Failure] = []
        var known: Set<String> = []
        for seed in seeds {
            failures += try await search(seed, besides: &known, failuresIn: folder, number: nil, after: failures.count)
            {
                _ in
            }
            if failures.count >= countMax { return Array(failures.prefix(countMax)) }
        }
        return failures
    }

    /// Plays the scenario of one seed; each kind of violation that is not known yet is made short.
    ///
    /// - Parameters:
    ///   - number: stands in the names of the files; nil counts the failures.
    ///   - count: how many failures there are already.
    func search(
        _ seed: UInt64, besides known: inout Set<String>, failuresIn folder: String?, number: Int?,
        after count: Int = 0,
        found: (Failure) -> Void
    ) async throws -> [Failure] {
        var failures: [Failure] = []
        var driver = AppScenarioDriver(seed: seed, taps: taps.map(\.key) + calls.map(\.key), user: user)
        let scenario = driver.scenario()
        let outcome = try await play(scenario, seed: seed)
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

    /// Leaves out whatever is not needed for the violation, to a fixpoint.
    public func shrink(_ scenario: AppScenario, seed: UInt64, keeping kind: String) async throws -> AppScenario {
        var scenario = try await withFixedOrder(scenario, seed, kind)
        var size = max(1, scenario.steps.count / 2)
        while true {
            var place = 0
            var hasChanged = false
            while place < scenario.steps.count {
                var shorter = scenario
                shorter.steps.removeSubrange(place..<min(place + size, scenario.steps.count))
                if try await isKept(shorter, seed, kind) {
                    scenario = shorter
                    hasChanged = true
                } else {
                    place += size
                }
            }
            if size > 1 { size /= 2 } else if !hasChanged { break }
        }
        for place in scenario.steps.indices {
            guard case .wait(let length) = scenario.steps[place] else { continue }
            for shorter in [100, 1000, 5000, 20_000] where shorter < length {
                var other = scenario
                other.steps[place] = .wait(shorter)
                guard try await isKept(other, seed, kind) else { continue }
                scenario = other
                break
            }
        }
        return try await withFixedOrder(scenario, seed, kind)
    }

    /// A mistake that hides from the fixed order is another one than one that does not: the scenario says which.
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
    /// The same for what is the same mistake: without numbers.
    var kind: String { "\(rule) \(text.filter { !$0.isNumber })" }
}
