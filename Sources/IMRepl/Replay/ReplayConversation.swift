import Foundation
import IMDebugger
import IMShell
import IMText
import LineEditing
import Recorder

/// Commands in a recording without a person at a prompt: a script, or lines of a pipe, each of which is answered before
/// the next one is read.
final class ReplayConversation {
    private let session: ReplaySession
    private var output: any ShellOutput { session.output }
    private var forks = ForkChecker()
    private var outcome = Outcome.ok

    init(_ session: ReplaySession) {
        self.session = session
        var object = AnswerObject(.begin)
        object.add("profile", session.dialect.profile)
        object.add("world", "recording")
        object.add("recording", session.path)
        session.output.object(object)
    }

    /// Runs a script to its end or to the first failed command; a program's continues.
    func run(_ script: ReplayScript) throws -> Outcome {
        for statement in script.script.statements {
            try answer(statement, from: script.script.name)
            if session.isOver || (outcome != .ok && !continuesAfterFailure) { break }
        }
        return try end()
    }

    /// Runs the lines of the standard input as they arrive.
    func runInput() throws -> Outcome {
        let reader = PlainLineReader(descriptor: STDIN_FILENO, source: "stdin")
        while !session.isOver, outcome == .ok || continuesAfterFailure {
            let text: String
            do {
                guard case .line(let line) = try reader.readLine(prompt: Prompt("")) else { break }
                text = line
            } catch {
                refuse("\(error)", "", line: reader.lineNumber)
                continue
            }
            do {
                guard var statement = try Statement.parse(text) else {
                    done(reader.lineNumber, text, .ok)
                    continue
                }
                if let wrong = forks.check(statement).first { throw wrong }
                statement.position.line = reader.lineNumber
                try answer(statement, from: "stdin")
            } catch let error as Diagnostic {
                refuse(
                    error.rendered(from: "stdin", text: text, line: reader.lineNumber), text, line: reader.lineNumber)
            }
        }
        return try end()
    }

    private var continuesAfterFailure: Bool { output.form == .json }

    private func end() throws -> Outcome {
        try session.endFork()
        output.end(outcome)
        return outcome
    }

    private func answer(_ statement: Statement, from name: String) throws {
        let line = statement.position.line
        do {
            try session.execute(statement)
            if session.forked == nil { try tellPosition() }
            done(line, statement.source, .ok)
        } catch let failure as CommandFailure {
            if output.form == .text {
                output.error(
                    "\(name):\(statement.position): \(Secrets.redacted(statement.source))\n\(failure.message)")
            }
            if outcome == .ok { outcome = .failed }
            done(line, statement.source, .failed, reason: failure.message, code: failure.code)
        }
    }

    private func tellPosition() throws {
        guard output.form == .json else { return }
        var object = AnswerObject(.position)
        object.add("n", number: session.position)
        object.add("count", number: session.count)
        object.add("t", number: try session.time().nanoseconds)
        object.add("node", try session.currentNode().map { session.reader.name(of: $0) })
        output.object(object)
    }

    /// Reports an invalid line.
    private func refuse(_ error: String, _ text: String, line: Int) {
        if output.form == .text { output.error(error) }
        if outcome == .ok { outcome = .usage }
        done(line, text, .usage, reason: error)
    }

    private func done(_ line: Int, _ text: String, _ outcome: Outcome, reason: String? = nil, code: String? = nil) {
        var object = AnswerObject(.done)
        object.add("line", number: line)
        object.add("command", Secrets.redacted(text))
        object.add("status", outcome == .ok ? "ok" : outcome == .usage ? "unreadable" : "failed")
        object.add("text", reason)
        object.add("code", code)
        object.add("events", numbers: [])
        output.object(object)
    }
}

extension ReplaySession {
    /// The command of an empty line: the last step again.
    func repeated(by line: String) -> Statement? {
        guard forked == nil, line.allSatisfy({ $0 == " " || $0 == "\t" }) else { return nil }
        return lastStep
    }
}
