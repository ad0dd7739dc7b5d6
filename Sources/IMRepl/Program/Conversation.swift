import Foundation
import IMDebugger
import IMShell
import IMText
import LineEditing

/// The receiver of the commands of a conversation: a shell, or the replay of a recording.
protocol ConversationTarget {
    var output: any ShellOutput { get }
    /// True after `quit`.
    var isOver: Bool { get }
    var continuesAfterFailure: Bool { get }
    /// The number of the last recorded event; 0 while nothing is recorded.
    var lastEventNumber: UInt64 { get }

    /// The statements of a command that was read; none for a blank line or a comment.
    ///
    /// - Throws: the first `Diagnostic`.
    func parse(_ text: String) throws -> [CheckedStatement]

    /// Called before the statements of a command or of a script run.
    func prepare(_ statements: [CheckedStatement]) throws

    func execute(_ checked: CheckedStatement) throws

    /// True if an error of a statement ends the conversation.
    func isEnd(_ error: any Error) -> Bool

    /// - Returns: the outcome of the program.
    func end(_ outcome: Outcome) throws -> Outcome
}

/// Runs the lines of a program, a pipe or a script. Each line is run and answered before the next one is read.
final class Conversation: LineReceiver {
    private let target: any ConversationTarget
    private let reader = PlainLineReader(descriptor: STDIN_FILENO, source: "stdin")
    /// The script whose lines run; nil for lines of the standard input.
    private var script: Script?
    /// The lines of a command whose last line has not been read yet, and the number of its first line.
    private var unfinished: (lines: [String], line: Int) = ([], 0)
    /// The outcome so far.
    private var outcome = Outcome.ok

    private var output: any ShellOutput { target.output }

    init(_ target: any ConversationTarget) {
        self.target = target
    }

    /// Runs a script, whose lines have all been checked before.
    func run(_ script: Script, _ statements: [CheckedStatement]) throws -> Outcome {
        self.script = script
        try answer(statements)
        return try target.end(outcome)
    }

    /// Runs the lines of the standard input as they arrive.
    func runInput() throws -> Outcome {
        try readLines(from: reader)
        return try target.end(outcome)
    }

    // MARK: Reading

    var isOver: Bool { target.isOver || (outcome != .ok && !target.continuesAfterFailure) }

    func prompt() -> Prompt { Prompt("") }

    /// Adds a line to the current command, and runs the command unless the line ends with a backslash: such a command
    /// continues in the next line.
    func evaluate(_ line: String) throws {
        // A continuation line never starts inside quotes. It starts inside a word if the previous line ends in a word.
        let isInWord = unfinished.lines.last?.dropLast().last.map { !$0.isWhitespace } ?? false
        if unfinished.lines.isEmpty { unfinished.line = reader.lineNumber }
        unfinished.lines.append(line)
        if case .failure(let error)? = Lexer(isInWord ? "x" + line : line).next(),
            error.kind == .unfinishedContinuation
        {
            return
        }
        try evaluateFinished()
    }

    func endInput() throws -> Bool {
        if !unfinished.lines.isEmpty { try evaluateFinished() }
        return true
    }

    func reject(_ error: LineError) {
        unfinished.lines = []
        refuse("\(error)", "", line: reader.lineNumber)
    }

    private func evaluateFinished() throws {
        let (text, line) = (unfinished.lines.joined(separator: "\n"), unfinished.line)
        unfinished.lines = []
        var statements: [CheckedStatement]
        do {
            statements = try target.parse(text)
        } catch {
            return refuse(rendered(error, text, line: line), text, line: line)
        }
        guard !statements.isEmpty else { return printDone(line, text) }
        for index in statements.indices { statements[index].statement.position.line = line }
        try answer(statements)
    }

    private func rendered(_ error: any Error, _ text: String, line: Int) -> String {
        guard let diagnostic = error as? Diagnostic else { return "\(error)" }
        if let script { return diagnostic.rendered(in: script.source) }
        return diagnostic.rendered(from: "stdin", text: text, line: line)
    }

    // MARK: Answers

    private func answer(_ statements: [CheckedStatement]) throws {
        try target.prepare(statements)
        for checked in statements {
            guard !isOver else { return }
            try answer(checked)
        }
    }

    private func answer(_ checked: CheckedStatement) throws {
        let statement = checked.statement
        let line = statement.position.line
        let before = target.lastEventNumber
        do {
            try target.execute(checked)
            printDone(line, statement.source, events: (before, target.lastEventNumber))
        } catch {
            if target.isEnd(error) { throw error }
            let text = rendered(error, statement.source, line: line)
            if output.form == .text {
                let name = script?.name ?? "stdin"
                let isWhole = error is Diagnostic || error is ScriptFailure
                output.error(
                    isWhole ? text : "\(name):\(statement.position): \(Secrets.redacted(statement.source))\n\(text)")
            }
            let outcome = Self.outcome(of: error)
            note(outcome)
            printDone(
                line, statement.source, outcome, reason: (text, (error as? CommandFailure)?.code),
                events: (before, target.lastEventNumber))
        }
    }

    private static func outcome(of error: any Error) -> Outcome {
        switch error {
        case is Diagnostic: .usage
        case let failure as ShellError: Outcome(failure.reason)
        default: .failed
        }
    }

    /// Reports an invalid line.
    private func refuse(_ error: String, _ text: String, line: Int) {
        if output.form == .text { output.error(error) }
        note(.usage)
        printDone(line, text, .usage, reason: (error, nil))
    }

    private func note(_ outcome: Outcome) {
        if self.outcome == .ok { self.outcome = outcome }
    }

    private func printDone(
        _ line: Int, _ command: String, _ outcome: Outcome = .ok, reason: (text: String, code: String?)? = nil,
        events: (before: UInt64, last: UInt64) = (0, 0)
    ) {
        var object = AnswerObject(.done)
        object.add("line", number: line)
        object.add("command", Secrets.redacted(command))
        object.add("status", outcome == .ok ? "ok" : outcome == .usage ? "unreadable" : "failed")
        object.add("events", numbers: events.last > events.before ? [events.before + 1, events.last] : [])
        object.add("text", reason?.text)
        object.add("code", reason?.code)
        output.object(object)
    }
}

extension Diagnostic {
    /// Renders the error as ``rendered(in:)`` does, for a line of an input that is not kept.
    func rendered(from name: String, text: String, line: Int) -> String {
        var moved = self
        if position.line < line { moved.position.line += line - 1 }
        return moved.rendered(in: SourceText(name: name, text: text, firstLine: line))
    }
}
