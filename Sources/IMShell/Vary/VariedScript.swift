import IMDebugger
import IMSession
import IMSimulation
import IMText
import Recorder
import SansIO

/// A script that is played with changes, in virtual time.
package struct VariedScript {
    /// A statement of the script, as written.
    private struct Line {
        var source: String
        /// The number of the line, from 1.
        var number: Int
        var client: String?
        /// The duration of a `wait`; nil for other statements.
        var wait: Interval?
        var isExpectation: Bool
        /// The name of the client that the statement creates; nil if it creates none.
        var createdClient: String?
    }

    /// The result of a run.
    package enum Ending: Hashable, Sendable {
        case passed
        /// An expectation was not met.
        case failed(Break)
        /// A line that is not an expectation failed, because its command cannot run in the changed script.
        case impossible(String)
    }

    /// An expectation that was not met.
    package struct Break: Hashable, Sendable {
        /// The line of the script, from 1; 0 for the condition from the command line.
        package var line: Int
        package var statement: String
        package var reason: String
        /// The time of the break in the session.
        package var time: Instant
    }

    private let name: String
    private let head: String
    private let lines: [Line]
    /// The `check` line that is added to the script for the condition from the command line; nil if the script's own
    /// expectations are used.
    private let check: String?
    private let variables: [KeyValue]

    /// - Parameters:
    ///   - condition: the condition from the command line, which must not become true; nil to use the script's own
    ///     expectations.
    ///   - variables: the values of the script's variables.
    /// - Throws: ``ShellError`` if there is neither a condition nor an expectation.
    package init(_ script: CheckedScript, expecting condition: SessionCondition?, variables: [KeyValue] = []) throws {
        name = script.name
        let source = script.script.source
        let begin = script.statements.first.map { $0.position.line - 1 } ?? source.lines.count
        head = source.lines.prefix(begin).map { $0 + "\n" }.joined()
        lines = script.statements.map { statement in
            let words = statement.words.map(\.literal)
            let isWait = words.count == 2 && words[0] == "wait" && !statement.mustFail
            let isExpectation =
                statement.mustFail || ["check", "diff"].contains(words[0] ?? "")
                || words[0]?.hasPrefix("expect") == true
            return Line(
                source: statement.source, number: statement.position.line, client: statement.client,
                wait: isWait ? words[1].flatMap(DurationText.interval) : nil, isExpectation: isExpectation,
                createdClient: words.count > 2 && words[0] == "client" && words[1] == "new" ? words[2] : nil)
        }
        check = condition?.negatedCheck
        self.variables = variables
        guard check != nil || lines.contains(where: \.isExpectation) else {
            throw ShellError(
                message: "'\(name)' has no expectation; --until EXPR sets what must not occur", reason: .usage)
        }
    }

    /// The text of the script with the changes.
    package func text(_ edits: [ScriptEdit]) -> String {
        head + rows(edits).map(\.text).joined(separator: "\n") + "\n"
    }

    /// The lines of the changed script, each with the index of its statement; nil for a line that a change added.
    private func rows(_ edits: [ScriptEdit]) -> [(text: String, statementIndex: Int?)] {
        var groups = lines.indices.map { statementIndex -> [(text: String, statementIndex: Int?)] in
            let line = lines[statementIndex]
            guard
                let edit = edits.first(where: {
                    $0.statementIndex == statementIndex && $0.kind != .order && $0.kind != .seed
                })
            else {
                return [(line.source, statementIndex)]
            }
            return edit.lines(replacing: line.source, wait: line.wait).map {
                ($0, $0 == line.source ? statementIndex : nil)
            }
        }
        for edit in edits where edit.kind == .order && edit.statementIndex + 1 < groups.count {
            groups.swapAt(edit.statementIndex, edit.statementIndex + 1)
        }
        return groups.flatMap { $0 } + (check.map { [($0, lines.count)] } ?? [])
    }

    /// A description of a change for the user: the line and its replacement.
    package func description(of edit: ScriptEdit) -> String {
        guard lines.indices.contains(edit.statementIndex) else { return "" }
        let line = lines[edit.statementIndex]
        let source = Secrets.redacted(line.source)
        switch edit.kind {
        case .seed: return "seed \(edit.seed)"
        case .order:
            let next =
                edit.statementIndex + 1 < lines.count ? Secrets.redacted(lines[edit.statementIndex + 1].source) : ""
            return "line \(line.number): '\(next)' before '\(source)'"
        default:
            let replacement = edit.lines(replacing: source, wait: line.wait)
            return "line \(line.number): \(replacement.joined(separator: "; "))"
                + (replacement.contains(source) ? "" : ", instead of '\(source)'")
        }
    }

    // MARK: Playing

    /// Plays the script with the changes, in a new world.
    ///
    /// - Parameter sink: receives the recording; nil for none.
    package func play(_ edits: [ScriptEdit], recording sink: MemorySink? = nil) throws -> Ending {
        let rows = rows(edits)
        let source = Array((head + rows.map(\.text).joined(separator: "\n") + "\n").utf8)
        let script: CheckedScript
        do {
            script = try ScriptFile.parse(source, named: name, origin: .pipe, variables: Set(variables.map(\.key)))
        } catch let error as ShellError {
            return .impossible(error.message)
        }
        let seed = edits.first { $0.kind == .seed }?.seed
        guard let (failed, time) = try Self.failure(of: script, variables, seed: seed, sink) else { return .passed }
        guard let statementIndex = rows[failed.index].statementIndex,
            statementIndex == lines.count || lines[statementIndex].isExpectation
        else {
            return .impossible("\(Secrets.redacted(failed.statement.source)): \(failed.reason)")
        }
        return .failed(
            Break(
                line: statementIndex == lines.count ? 0 : lines[statementIndex].number,
                statement: Secrets.redacted(rows[failed.index].text), reason: failed.reason, time: time))
    }

    /// Plays a script without changes and records it.
    ///
    /// - Returns: the text of the failure; nil if no line failed.
    package static func failure(
        playing script: CheckedScript, variables: [KeyValue], recording sink: MemorySink
    ) throws -> String? {
        try failure(of: script, variables, seed: nil, sink)?.failure.text
    }

    private static func failure(
        of script: CheckedScript, _ variables: [KeyValue], seed: UInt64?, _ sink: MemorySink?
    ) throws -> (failure: ScriptRunner.Failure, time: Instant)? {
        var settings = WorldSettings()
        settings.kind = .simulated
        settings.seed = seed
        let shell = try Shell(playing: script, settings, recording: sink)
        for variable in variables { shell.variables[variable.key] = variable.value }
        let failure = try ScriptRunner(shell: shell, script: script).firstFailure()
        let time = try shell.world.perform { $0.now }
        try shell.close()
        return failure.map { ($0, time) }
    }

    // MARK: Drawing

    /// The devices and frames that changes can affect: those of a run without changes.
    package struct Targets: Sendable {
        /// The devices as `@name`, each with the index of the first statement at which it exists.
        var devices: [(name: String, from: Int)] = []
        /// The frame types, each with the option for its direction: `login --dir out`.
        var frames: [String] = []
    }

    /// Plays the script without changes.
    ///
    /// - Throws: ``ShellError`` if an expectation fails.
    package func targets() throws -> Targets {
        let sink = MemorySink()
        switch try play([], recording: sink) {
        case .passed: break
        case .impossible(let reason): throw ShellError(message: "'\(name)': \(reason)", reason: .failed)
        case .failed(let found):
            let subject = found.line > 0 ? "'\(found.statement)' fails" : "it occurs"
            throw ShellError(message: "\(subject) even without a change: \(found.reason)", reason: .failed)
        }
        var targets = Targets()
        for event in try DecodedSession(SessionReader(bytes: sink.bytes)).events {
            guard case .effect(.send(_, let frame)) = event.content else { continue }
            let isServer = event.node == WorldCore.serverName
            let word = "\(frame.body.name) --dir \(isServer ? "in" : "out")"
            if !targets.frames.contains(word) { targets.frames.append(word) }
            guard !isServer, !targets.devices.contains(where: { $0.name == "@" + event.node }) else { continue }
            let index = lines.firstIndex { $0.createdClient == event.node }
            targets.devices.append(("@" + event.node, index.map { $0 + 1 } ?? 0))
        }
        return targets
    }

    /// Random changes, at most one for each statement.
    package func draw(
        _ count: Int, of kinds: [ScriptEdit.Kind], _ targets: Targets, from random: inout SeededRandom
    ) -> [ScriptEdit] {
        var edits: [ScriptEdit] = []
        for _ in 0..<count {
            guard let edit = draw(of: kinds, targets, from: &random),
                !edits.contains(where: {
                    $0.statementIndex == edit.statementIndex || $0.kind == .seed && edit.kind == .seed
                })
            else { continue }
            edits.append(edit)
        }
        return edits
    }

    private func draw(
        of kinds: [ScriptEdit.Kind], _ targets: Targets, from random: inout SeededRandom
    ) -> ScriptEdit? {
        guard !lines.isEmpty, !kinds.isEmpty else { return nil }
        let kind = kinds[Int(random.below(UInt64(kinds.count)))]
        var edit = ScriptEdit(kind: kind, statementIndex: Int(random.below(UInt64(lines.count))))
        let wait = lines[edit.statementIndex].wait
        edit.length = ScriptEdit.lengths[Int(random.below(UInt64(ScriptEdit.lengths.count)))]
        if let wait, kind != .wait, random.below(3) > 0 {
            edit.offset = .milliseconds(Int64(random.below(UInt64(max(1, wait.nanoseconds / 1_000_000)))))
        }
        switch kind {
        case .wait:
            if let wait {
                // Half of the new lengths are random between zero and twice the original length. The others are from
                // `lengths`.
                let permille = Int64(random.below(2_000))
                if random.below(2) == 0 { edit.length = .milliseconds(wait.nanoseconds / 1_000_000 * permille / 1_000) }
                guard edit.length != wait else { return nil }
            }
        case .order:
            guard edit.statementIndex + 1 < lines.count,
                lines[edit.statementIndex].client != lines[edit.statementIndex + 1].client
            else {
                return nil
            }
        case .seed:
            edit.statementIndex = lines.count
            edit.seed = random.below(1_000_000) + 2
        case .delay, .outage, .sleep, .hold, .loss:
            let existing = targets.devices.filter { $0.from <= edit.statementIndex }
            guard !existing.isEmpty, !targets.frames.isEmpty else { return nil }
            edit.device = existing[Int(random.below(UInt64(existing.count)))].name
            if kind == .hold || kind == .loss {
                edit.frame = targets.frames[Int(random.below(UInt64(targets.frames.count)))]
            }
        }
        return edit
    }
}
