import Foundation
import IMDebugger
import IMShell
import IMText
import LineEditing

/// Lines of a program or a pipe: each is run and answered before the next one is read.
///
/// It is no script: the world's time passes even without input, and queries wait for earlier commands to finish.
final class Conversation {
    private let settings: WorldSettings
    private let output: any ShellOutput
    /// The outcome so far.
    private var outcome = Outcome.ok

    init(_ settings: WorldSettings, output: any ShellOutput) {
        self.settings = settings
        self.output = output
    }

    // MARK: Sources of the lines

    /// The lines of `-c`: all of them are known, so they are checked before any is run, and time stops between them.
    func run(_ lines: [String]) throws -> Outcome {
        let script = try ScriptFile.parse(
            Array(lines.joined(separator: "\n").utf8), named: "-c", origin: .commandLine, variables: [])
        if let answers = helpAnswers(script.statements) {
            help(answers)
            return endWithoutShell()
        }
        let shell = try begin(script.metadata, title: script.metadata.title ?? "-c", lines: script)
        for statement in script.statements where outcome == .ok || continuesAfterFailure(shell) {
            guard !shell.exitRequest.requested else { break }
            try answer(statement, from: script.name, in: shell) { $0.rendered(in: script.source) }
        }
        return try end(shell)
    }

    /// The answers to lines that only request help; nil if there is any other line.
    private func helpAnswers(_ statements: [Statement]) -> [(statement: Statement, text: String, object: AnswerObject)]?
    {
        var answers: [(statement: Statement, text: String, object: AnswerObject)] = []
        for statement in statements {
            let command = statement.mustFail ? nil : try? CommandParser.parse(statement)
            guard let answer = command?.help(LibraryIndex.find) else { return nil }
            answers.append((statement, answer.text, answer.object))
        }
        return answers.isEmpty ? nil : answers
    }

    /// No world is needed: no server starts, and nothing is recorded.
    private func help(_ answers: [(statement: Statement, text: String, object: AnswerObject)]) {
        for (statement, text, object) in answers {
            if output.form == .json { output.object(object) } else { output.line(text) }
            done(statement.position.line, statement.source, .ok)
        }
    }

    private func endWithoutShell() -> Outcome {
        output.end(outcome)
        return outcome
    }

    /// The lines of the standard input, as they arrive. The head of a script, if there is one, describes the world.
    func runInput() throws -> Outcome {
        let reader = PlainLineReader(descriptor: STDIN_FILENO, source: "stdin")
        var head: [String] = []
        var shell: Shell?
        loop: while outcome == .ok || (shell.map(continuesAfterFailure) ?? (output.form == .json)) {
            if let shell, shell.exitRequest.requested { break }
            switch read(from: reader) {
            case .end: break loop
            case .unreadable(let line, let text, let error):
                refuse(error, text, line: line)
            case .nothing(let line, let text):
                if shell == nil { head.append(text) }
                done(line, text, .ok)
            case .statements(let statements):
                if shell == nil, let answers = helpAnswers(statements) {
                    help(answers)
                    continue
                }
                let known = try shell ?? begin(try metadata(of: head), title: "typed by a program")
                shell = known
                for statement in statements where outcome == .ok || continuesAfterFailure(known) {
                    guard !known.exitRequest.requested else { break }
                    try answer(statement, from: "stdin", in: known) {
                        $0.rendered(from: "stdin", text: statement.source, line: statement.position.line)
                    }
                }
            }
        }
        guard let shell else { return endWithoutShell() }
        return try end(shell)
    }

    private enum Reading {
        case statements([Statement])
        /// A blank line or a comment.
        case nothing(Int, String)
        case unreadable(Int, String, String)
        case end
    }

    /// One command, of several lines when they end with a backslash.
    private func read(from reader: PlainLineReader) -> Reading {
        var lines: [String] = []
        var first: Int?
        while true {
            do {
                guard case .line(let line) = try reader.readLine(prompt: Prompt("")) else {
                    guard let first else { return .end }
                    return parse(lines.joined(separator: "\n"), line: first)
                }
                // A continuation line starts outside quotes, and within a word if the line before ends in a word.
                let isInWord = lines.last?.dropLast().last.map { !$0.isWhitespace } ?? false
                lines.append(line)
                let number = first ?? reader.lineNumber
                first = number
                if case .failure(let error)? = Lexer(isInWord ? "x" + line : line).next(),
                    error.kind == .unfinishedContinuation
                {
                    continue
                }
                return parse(lines.joined(separator: "\n"), line: number)
            } catch {
                return .unreadable(reader.lineNumber, "", "\(error)")
            }
        }
    }

    private func parse(_ text: String, line: Int) -> Reading {
        do {
            var statements = try Statement.parseAll(text)
            guard !statements.isEmpty else { return .nothing(line, text) }
            for index in statements.indices { statements[index].position.line = line }
            if let wrong = statements.lazy.compactMap({ CommandParser.check($0).first }).first { throw wrong }
            return .statements(statements)
        } catch let error as Diagnostic {
            return .unreadable(line, text, error.rendered(from: "stdin", text: text, line: line))
        } catch {
            return .unreadable(line, text, "\(error)")
        }
    }

    private func metadata(of head: [String]) throws -> ScriptMetadata {
        try ScriptFile.parse(
            Array(head.joined(separator: "\n").utf8), named: "stdin", origin: .pipe, variables: []
        ).metadata
    }

    // MARK: The shell

    /// - Parameter lines: all lines, if they are known already; time stops between them then.
    private func begin(_ head: ScriptMetadata, title: String, lines: Script? = nil) throws -> Shell {
        var plan = try WorldPlan(settings, head: head, defaultKind: .live, isScripted: true, title: title)
        plan.isScripted = lines != nil
        if let lines { try ScriptFile.require(lines, for: plan.dialect) }
        let shell = try Shell(
            plan, recording: settings.shellRecording, output: output, isInteractive: false, host: ProgramHost())
        shell.sourceFolders = ["."]
        shell.completesRecordingAtEnd()
        return shell
    }

    private func continuesAfterFailure(_ shell: Shell) -> Bool { shell.onError == .goOn }

    /// Waits for commands in progress, and ends the world.
    private func end(_ shell: Shell) throws -> Outcome {
        if outcome == .ok, !shell.exitRequest.requested { try shell.awaitRunningCommands() }
        // A script with an expectation has checked an unreachable address itself.
        if outcome == .ok, shell.expectationCount == 0, try shell.unreachableReason != nil { outcome = .environment }
        try shell.close()
        if let code = shell.exitRequest.code { outcome = Outcome(rawValue: code) }
        output.end(outcome, recording: shell.recordingPath)
        guard output.form == .text, let path = shell.recordingPath else { return outcome }
        if outcome == .failed {
            output.error("session: \(path)\nshow it: imrepl show \(path)")
        } else {
            output.error("recorded \(path)")
        }
        return outcome
    }

    // MARK: One line

    private func answer(
        _ statement: Statement, from name: String, in shell: Shell, render: (Diagnostic) -> String
    ) throws {
        let before = shell.lastEventNumber
        do {
            shell.lineLock.lock()
            defer { shell.lineLock.unlock() }
            // Queries wait for earlier commands to finish.
            if shell.nature(of: statement)?.queriesWorld == true { try shell.awaitRunningCommands() }
            try ScriptRunner.execute(statement, in: shell)
            done(statement.position.line, statement.source, .ok, events: (before, shell.lastEventNumber))
        } catch {
            let reason = Reason(error, render)
            if output.form == .text {
                output.error(
                    reason.isWhole
                        ? reason.text
                        : "\(name):\(statement.position): \(Secrets.redacted(statement.source))\n\(reason.text)")
            }
            note(reason.outcome)
            done(
                statement.position.line, statement.source, reason.outcome, reason: reason,
                events: (before, shell.lastEventNumber))
        }
    }

    /// The reason why a line failed, as text.
    private struct Reason {
        var text: String
        var code: String?
        var outcome = Outcome.failed
        /// True if the text contains the position.
        var isWhole = false

        init(_ error: any Error, _ render: (Diagnostic) -> String) {
            text = "\(error)"
            switch error {
            case let failure as CommandFailure: code = failure.code
            case is ScriptFailure: isWhole = true
            case let diagnostic as Diagnostic:
                text = render(diagnostic)
                outcome = .usage
                isWhole = true
            case let failure as ShellError: outcome = Outcome(failure.reason)
            default: break
            }
        }
    }

    /// Reports an invalid line.
    private func refuse(_ error: String, _ text: String, line: Int) {
        if output.form == .text { output.error(error) }
        note(.usage)
        var object = doneObject(line, text, "unreadable", events: (0, 0))
        object.add("text", error)
        output.object(object)
    }

    private func note(_ outcome: Outcome) {
        if self.outcome == .ok { self.outcome = outcome }
    }

    private func done(
        _ line: Int, _ text: String, _ outcome: Outcome, reason: Reason? = nil,
        events: (before: UInt64, last: UInt64) = (0, 0)
    ) {
        let status = outcome == .ok ? "ok" : outcome == .usage ? "unreadable" : "failed"
        var object = doneObject(line, text, status, events: events)
        object.add("text", reason?.text)
        object.add("code", reason?.code)
        output.object(object)
    }

    private func doneObject(
        _ line: Int, _ text: String, _ status: String, events: (before: UInt64, last: UInt64)
    ) -> AnswerObject {
        var object = AnswerObject(.done)
        object.add("line", number: line)
        object.add("command", Secrets.redacted(text))
        object.add("status", status)
        object.add("events", numbers: events.last > events.before ? [events.before + 1, events.last] : [])
        return object
    }
}

extension Shell {
    /// The number of the last recorded event; 0 while nothing is recorded.
    var lastEventNumber: UInt64 {
        ((try? world.perform { $0.recording.map { UInt64($0.eventCount) } }) ?? nil) ?? 0
    }
}

extension Diagnostic {
    /// Like ``rendered(in:)``, for one line of an input that is not kept.
    func rendered(from name: String, text: String, line: Int) -> String {
        var moved = self
        if position.line < line { moved.position.line += line - 1 }
        return moved.rendered(in: SourceText(name: name, text: text, firstLine: line))
    }
}
