import IMText
import SansIO

/// Plays a script with many random changes and finds the smallest change that breaks an expectation.
package struct VariationSearch {
    /// The outcome of a search.
    package struct Outcome: Sendable {
        /// The number of runs that ended normally or broke an expectation.
        package var runs = 0
        /// The number of random changes with which a line of the script cannot run. They are not counted in `runs`.
        package var impossible = 0
        package var broken = 0
        /// For the runs with a single change: the number of runs with each kind of change, and how many of them broke
        /// an expectation.
        package var kinds: [(kind: ScriptEdit.Kind, runs: Int, broken: Int)] = []
        /// The broken expectations, the most frequent first.
        package var breaks: [Group] = []

        package init() {}
    }

    /// The runs that broke the same expectation.
    package struct Group: Sendable {
        package var example: VariedScript.Break
        package var count: Int
        /// The smallest set of changes that breaks the expectation.
        package var edits: [ScriptEdit]
        /// If `edits` is a single change with a duration: the tried durations with which the expectation breaks.
        package var lengths: [Interval] = []
    }

    private let script: VariedScript
    private let kinds: [ScriptEdit.Kind]
    private let seed: UInt64
    /// Returns true if the search should stop, such as after a time limit.
    private let shouldStop: () -> Bool

    package init(
        _ script: VariedScript, kinds: [ScriptEdit.Kind], seed: UInt64, shouldStop: @escaping () -> Bool = { false }
    ) {
        self.script = script
        self.kinds = kinds
        self.seed = seed
        self.shouldStop = shouldStop
    }

    /// - Parameters:
    ///   - runs: the number of sets of changes to try. Half of the sets contain a single change.
    ///   - progress: called with the number of finished runs.
    package func run(_ runs: Int, progress: (Int) -> Void = { _ in }) throws -> Outcome {
        let targets = try script.targets()
        var outcome = Outcome()
        var kindCounts = kinds.map { (kind: $0, runs: 0, broken: 0) }
        var attempts = 0
        while attempts < runs, !shouldStop() {
            var random = SeededRandom(seed: seed &+ UInt64(attempts) &* 0x9E37_79B9_7F4A_7C15)
            let count = attempts % 2 == 0 ? 1 : 2 + Int(random.below(2))
            attempts += 1
            progress(attempts)
            let edits = script.draw(count, of: kinds, targets, from: &random)
            guard !edits.isEmpty else { continue }
            let ending = try script.play(edits)
            if case .impossible = ending {
                outcome.impossible += 1
                continue
            }
            outcome.runs += 1
            let index = edits.count == 1 ? kindCounts.firstIndex { $0.kind == edits[0].kind } : nil
            if let index { kindCounts[index].runs += 1 }
            guard case .failed(let found) = ending else { continue }
            outcome.broken += 1
            if let index { kindCounts[index].broken += 1 }
            note(found, edits, in: &outcome.breaks)
        }
        outcome.kinds = kindCounts.filter { $0.runs > 0 }
        outcome.breaks.sort { ($1.count, $0.example.line) < ($0.count, $1.example.line) }
        for index in outcome.breaks.indices.prefix(Self.shortenedMax) {
            outcome.breaks[index] = try shortened(outcome.breaks[index])
        }
        return outcome
    }

    /// The number of broken expectations for which the search looks for the smallest set of changes.
    package static let shortenedMax = 3

    private func note(_ found: VariedScript.Break, _ edits: [ScriptEdit], in groups: inout [Group]) {
        guard let index = groups.firstIndex(where: { $0.example.line == found.line }) else {
            return groups.append(Group(example: found, count: 1, edits: edits))
        }
        groups[index].count += 1
        guard cost(edits).lexicographicallyPrecedes(cost(groups[index].edits)) else { return }
        groups[index].edits = edits
        groups[index].example = found
    }

    /// The size of a set of changes, compared lexicographically: first the number of changes, then how rare their kinds
    /// are, then their durations.
    private func cost(_ edits: [ScriptEdit]) -> [Int64] {
        [
            Int64(edits.count), edits.reduce(0) { $0 + Int64($1.kind.rank) },
            edits.reduce(0) { $0 + min($1.length.nanoseconds, 1 << 50) },
        ]
    }

    // MARK: Shortening

    private func broken(_ edits: [ScriptEdit], at line: Int) throws -> VariedScript.Break? {
        guard case .failed(let found) = try script.play(edits), found.line == line else { return nil }
        return found
    }

    /// Removes changes one by one and shortens the remaining changes while the same expectation still breaks.
    private func shortened(_ group: Group) throws -> Group {
        var group = group
        let line = group.example.line
        var index = 0
        while index < group.edits.count, group.edits.count > 1 {
            var fewer = group.edits
            fewer.remove(at: index)
            if let found = try broken(fewer, at: line) {
                (group.edits, group.example) = (fewer, found)
            } else {
                index += 1
            }
        }
        for index in group.edits.indices {
            for variant in group.edits[index].simplerVariants {
                var edits = group.edits
                edits[index] = variant
                guard let found = try broken(edits, at: line) else { continue }
                (group.edits, group.example) = (edits, found)
                break
            }
        }
        guard let edit = group.edits.first, group.edits.count == 1, edit.length > .zero,
            edit.kind != .seed, edit.kind != .order, edit.kind != .loss
        else { return group }
        group.lengths = try ScriptEdit.lengths.filter { try broken([edit.with(length: $0)], at: line) != nil }
        return group
    }
}
