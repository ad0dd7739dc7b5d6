import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMText
import Recorder
import SansIO

/// Runs a scenario with two versions of an SDK and finds the differences for an app.
package struct Rehearsal {
    /// A callback or a result that the app receives.
    package struct Observation: Hashable, Sendable {
        package var node: String
        package var time: Instant
        package var text: String
        /// The event's number in the recording of the SDK version that was played.
        var number: UInt64

        /// The text by which both versions are compared. A result has only the number of its code, because each version
        /// has its own names for codes.
        var key: String {
            var words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count > 2, words[0] == "result", let number = words[2].firstIndex(of: "(") else { return text }
            words[2] = words[2][number...]
            return words.joined(separator: " ")
        }

        /// The `key` with the time.
        var timedKey: String { "\(time.nanoseconds) \(key)" }
    }

    /// A difference between the two versions.
    package struct Difference: Sendable {
        /// The observation of the earlier version; nil if only the later version has one.
        package var before: Observation?
        /// The observation of the later version; nil if only the earlier version has one. If there are both, the same
        /// observation occurred at another time, or in another order at the same time.
        package var after: Observation?
        /// The explanation: a line of the vendor's migration guide, or a rule; nil if there is none.
        package var note: String?

        /// The observation of the earlier version if there is one, otherwise that of the later version.
        package var observation: Observation? { before ?? after }
        var time: Instant { observation?.time ?? .zero }
    }

    private let script: CheckedScript
    /// The times at which the statements started with the earlier version, and the time of the end.
    private var startTimes: [Instant] = []
    private let names: (from: String, to: String)

    package init(_ script: CheckedScript, from: String, to: String) {
        self.script = script
        names = (from, to)
    }

    /// Plays the script with both versions and compares the callbacks and results.
    ///
    /// - Throws: ``ShellError`` if the script does not play with the earlier version.
    package mutating func differences() throws -> [Difference] {
        let before = try play(names.from, isFirst: true)
        let after = try play(names.to, isFirst: false)
        let nodes = (before.observations + after.observations).map(\.node).uniqued
        let found = nodes.flatMap { node in
            compare(before.observations.filter { $0.node == node }, after.observations.filter { $0.node == node })
        }
        return try Consequences(of: found, before, after).explained()
    }

    private func compare(_ before: [Observation], _ after: [Observation]) -> [Difference] {
        // Observations that occur at the same time with both versions are no differences.
        let untimed = Self.unmatched(before.map(\.timedKey), after.map(\.timedKey))
        let left = untimed.removed.map { before[$0] }
        let right = untimed.added.map { after[$0] }
        var rest = Self.unmatched(left.map(\.key), right.map(\.key))
        func note(_ observation: Observation, order: Bool = false) -> String? {
            let simultaneous = (before + after).filter { $0.time == observation.time }.map(\.text)
            return MigrationNote.text(
                for: order ? "order: \(observation.text)" : observation.text, beside: simultaneous, of: names.to)
        }
        func pair(_ observation: Observation, _ other: Observation) -> Difference {
            Difference(
                before: observation, after: other, note: note(observation, order: observation.time == other.time))
        }
        let pairs = zip(
            left.indices.filter { !rest.removed.contains($0) }, right.indices.filter { !rest.added.contains($0) })
        var found = pairs.map { pair(left[$0], right[$1]) }
        for index in rest.removed {
            let observation = left[index]
            let match = rest.added.firstIndex { right[$0].timedKey == observation.timedKey }
            if let match {
                found.append(pair(observation, right[rest.added.remove(at: match)]))
            } else {
                found.append(Difference(before: observation, note: note(observation)))
            }
        }
        found += rest.added.map { Difference(after: right[$0], note: note(right[$0])) }
        return found.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// The indices of the elements that only one of two lists has.
    private static func unmatched<Key: Hashable>(
        _ before: [Key], _ after: [Key]
    ) -> (removed: [Int], added: [Int]) {
        var removed: [Int] = []
        var added: [Int] = []
        for change in after.difference(from: before) {
            switch change {
            case .remove(let offset, _, _): removed.append(offset)
            case .insert(let offset, _, _): added.append(offset)
            }
        }
        return (removed.sorted(), added.sorted())
    }

    // MARK: Playing

    /// Plays the script with one version. The later version receives the app's calls and the faults at the same times
    /// as the earlier version did. It skips expectations, because they describe the earlier version.
    private mutating func play(_ profile: String, isFirst: Bool) throws -> RehearsalRun {
        var settings = WorldSettings()
        settings.profile = profile
        let sink = MemorySink()
        let shell = try Shell(playing: script, settings, recording: sink)
        try ScriptRunner(shell: shell, script: script).run { index, statement in
            // Waiting, even for no time, makes all events of this instant happen before the next statement, with both
            // versions.
            let now = try shell.world.perform { $0.now }
            if isFirst { startTimes.append(now) }
            if startTimes.indices.contains(index) { try Self.wait(until: startTimes[index], from: now, in: shell) }
            return isFirst || !Self.isExpectation(statement)
        } onFailure: { failure in
            if isFirst { throw ShellError(message: failure.text, reason: .failed) }
            // A call that the later version does not support is a difference in the results, so the script continues.
            return true
        }
        // The later version also runs for the time that the last expectation took.
        let end = try shell.world.perform { $0.now }
        if isFirst { startTimes.append(end) }
        if let last = startTimes.last { try Self.wait(until: last, from: end, in: shell) }
        try shell.close()
        return try RehearsalRun(bytes: sink.bytes, dialect: shell.plan.dialect)
    }

    private static func wait(until instant: Instant, from now: Instant, in shell: Shell) throws {
        _ = try shell.letPass(instant > now ? instant - now : .zero) { _ in false }
    }

    private static func isExpectation(_ statement: Statement) -> Bool {
        let word = statement.words.lazy.compactMap(\.literal).first { !$0.hasPrefix("@") }
        return ["expect", "expect-none", "wait", "check"].contains(word ?? "")
    }
}
