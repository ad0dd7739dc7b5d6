import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMText
import Recorder
import SansIO

/// The same scenario with two versions of an SDK, and the differences for an app.
package struct Rehearsal {
    /// A callback or a result.
    package struct Observation: Hashable, Sendable {
        package var node: String
        package var time: Instant
        package var text: String

        /// What two versions have in common: of the code of a result the number, because each version names it.
        fileprivate var key: String {
            var words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count > 2, words[0] == "result", let number = words[2].firstIndex(of: "(") else { return text }
            words[2] = words[2][number...]
            return words.joined(separator: " ")
        }
    }

    /// A difference between the two.
    package struct Difference: Sendable {
        /// The observation that only the earlier version has; nil if it has none.
        package var before: Observation?
        /// The observation that only the later version has.
        package var after: Observation?
        /// The line of the vendor's guide, or a rule; nil if there is none.
        package var note: String?

        fileprivate var seen: Observation? { before ?? after }
        fileprivate var time: Instant { seen?.time ?? .zero }
    }

    private let script: Script
    /// The start of each statement, with the earlier version.
    private var starts: [Instant] = []
    private let names: (from: String, to: String)

    package init(_ script: Script, from: String, to: String) {
        self.script = script
        names = (from, to)
    }

    /// Plays both.
    ///
    /// - Throws: ``ShellError`` if the script does not play with the earlier version.
    package mutating func differences() throws -> [Difference] {
        let before = try play(names.from, isFirst: true)
        let after = try play(names.to, isFirst: false)
        var nodes: [String] = []
        for seen in before + after where !nodes.contains(seen.node) { nodes.append(seen.node) }
        let found = nodes.flatMap { node in
            compare(before.filter { $0.node == node }, after.filter { $0.node == node })
        }
        return found.map { difference in
            var difference = difference
            if difference.note == nil { difference.note = consequence(of: found, for: difference) }
            return difference
        }
    }

    /// A difference that no line explains comes after one that has a line: the last call of the same device that ended
    /// differently, else of another one, else any.
    private func consequence(of found: [Difference], for difference: Difference) -> String? {
        let earlier = found.filter { $0.note != nil && $0.time <= difference.time }.sorted { $0.time < $1.time }
        let calls = earlier.filter { $0.seen?.text.hasPrefix("result ") == true }
        let cause = calls.last { $0.seen?.node == difference.seen?.node } ?? calls.last ?? earlier.last
        return cause?.note.map { "after an earlier difference: \($0)" }
    }

    private func compare(_ before: [Observation], _ after: [Observation]) -> [Difference] {
        let changes = after.map(\.key).difference(from: before.map(\.key))
        var removed = Set<Int>()
        var added = Set<Int>()
        for change in changes {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var found: [Difference] = []
        var next = after.indices.filter { !added.contains($0) }[...]
        for (index, seen) in before.enumerated() {
            if removed.contains(index) {
                found.append(Difference(before: seen, note: note(seen)))
            } else if let match = next.popFirst(), after[match].time != seen.time {
                found.append(Difference(before: seen, after: after[match], note: note(seen)))
            }
        }
        found += added.sorted().map { Difference(after: after[$0], note: note(after[$0])) }
        return found.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private func note(_ seen: Observation) -> String? { MigrationNote.text(for: seen.text, of: names.to) }

    // MARK: Playing

    /// The later version gets the app's calls and the faults at the same times as the earlier one. Expectations are
    /// those of the earlier version.
    private mutating func play(_ profile: String, isFirst: Bool) throws -> [Observation] {
        var request = WorldRequest()
        request.profile = profile
        let plan = try WorldPlan(
            request, head: script.metadata, defaultKind: .simulated, isScripted: true, title: script.name)
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false)
        for (index, statement) in script.statements.enumerated() {
            // With both versions all that happens at an instant comes before the next statement.
            let now = try shell.world.perform { $0.now }
            if isFirst { starts.append(now) }
            if starts.indices.contains(index) { try Self.wait(until: starts[index], from: now, in: shell) }
            if !isFirst, Self.isExpectation(statement) { continue }
            do {
                try ScriptRunner.execute(statement, in: shell)
            } catch let failure as CommandFailure where isFirst {
                let text = "\(script.name):\(statement.position): \(Secrets.redacted(statement.source))"
                throw ShellError(message: "\(text)\n\(failure.message)", reason: .failed)
            } catch is CommandFailure {
                // Calls that the later version does not support show in its results.
            }
            if shell.exitRequest.requested { break }
        }
        // The last expectation takes time too.
        let end = try shell.world.perform { $0.now }
        if isFirst { starts.append(end) }
        if let last = starts.last { try Self.wait(until: last, from: end, in: shell) }
        try shell.close()
        return try seen(in: sink, dialect: plan.dialect)
    }

    private static func wait(until instant: Instant, from now: Instant, in shell: Shell) throws {
        _ = try shell.letPass(instant > now ? instant - now : .zero) { _ in false }
    }

    private static func isExpectation(_ statement: Statement) -> Bool {
        let word = statement.words.lazy.compactMap(\.literal).first { !$0.hasPrefix("@") }
        return ["expect", "expect-none", "wait", "check"].contains(word ?? "")
    }

    private func seen(in sink: MemorySink, dialect: any Dialect) throws -> [Observation] {
        let reader = try SessionReader(bytes: sink.bytes)
        let formatter = EventFormatter(dialect: dialect)
        let schema = IMSessionSchema()
        var all: [Observation] = []
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            formatter.note(event)
            if let callback = formatter.callback(of: event) {
                let fields = callback.fields.map { "\($0.name)=\($0.value)" }
                let text = (["callback", callback.name] + fields).joined(separator: " ")
                all.append(Observation(node: event.node, time: event.time, text: text + (fields.isEmpty ? " " : "")))
            } else if case .effect(.complete) = event.content, event.node != "server" {
                all.append(Observation(node: event.node, time: event.time, text: formatter.text(of: event)))
            }
        }
        return all
    }
}
