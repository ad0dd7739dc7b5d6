import Foundation
import IMDebugger
import IMExport
import IMSession
import IMShell
import IMText
import LineEditing
import Recorder

/// `replay`: the prompt for a recording, or a script of its commands.
extension Program {
    func replay(_ request: ReplayRequest) async throws -> Outcome {
        try await onOwnThread {
            let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
            let output = TerminalOutput(
                colour: Colours.areOn(request.settings.color), form: request.asJSON ? .json : .text)
            output.clock.shown = request.clock
            let script = try ReplayScript.read(request)
            if script == nil, request.script == nil, !request.asJSON, isatty(STDIN_FILENO) != 0 {
                return try ReplayPrompter.run(path, output: output, pages: request.pages)
            }
            let session = try ReplaySession(path: path, output: output)
            session.printBehaviourNotice(path)
            if output.clock.isMissing { output.error("\(path): \(EventClock.missing)") }
            // To stderr: a script prints the same results for a report as for the recording in it.
            ReportText(session.reader, path: session.path)?.head.forEach(session.output.error)
            let conversation = Conversation(ReplayTarget(session))
            return try ShellError.reportingDamage(of: path) {
                try script.map { try conversation.run($0.script, $0.statements) } ?? conversation.runInput()
            }
        }
    }
}

/// A script of replay commands. All are known, and checked, before the first one runs.
struct ReplayScript {
    let script: Script
    let statements: [CheckedStatement]

    /// The script of a request; nil if the lines come one by one, from a user or a pipe.
    ///
    /// - Throws: ``ShellError`` with all errors of the script. No command has run then.
    static func read(_ request: ReplayRequest) throws -> ReplayScript? {
        if !request.lines.isEmpty {
            return try ReplayScript(Array(request.lines.joined(separator: "\n").utf8), named: "-c")
        }
        if let path = request.script, path != "-" {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ShellError(message: "there is no script '\(path)', or it cannot be read", reason: .usage)
            }
            return try ReplayScript(Array(data), named: path)
        }
        return nil
    }

    init(_ bytes: [UInt8], named name: String) throws {
        guard bytes.count <= ScriptFile.bytesMax else {
            throw ShellError(
                message: "'\(name)' is larger than \(ScriptFile.bytesMax >> 20) MiB, which is too large for a script",
                reason: .usage)
        }
        do {
            // `.pipe`, because a script of replay commands does not have to name the profile.
            var forks = ForkChecker()
            var statements: [CheckedStatement] = []
            script = try Script.parse(utf8: bytes, named: name, origin: .pipe, variables: []) { statement in
                let (found, errors) = forks.check(statement)
                statements.append(found)
                return errors
            }
            self.statements = statements
        } catch {
            throw ShellError(message: error.rendered, reason: .usage)
        }
    }
}

extension ReplaySession {
    /// Prints a notice if this version's machines differ from those of the recording.
    func printBehaviourNotice(_ path: String) {
        // A damaged file is ignored here: the command reports it when it reads the file.
        guard let difference = try? reader.behaviourDifference() else { return }
        let consequence =
            difference.divergence == nil ? "" : ": states after it are those of this version, not the recorded ones"
        output.error("\(path): \(difference)\(consequence)")
    }

    /// Runs one checked statement. `!` turns a failure into success and success into a failure.
    func execute(_ checked: CheckedStatement) throws {
        if let currentFork {
            if try !currentFork.execute(checked) { try endFork() }
            return
        }
        let statement = checked.statement
        guard let name = statement.words.first?.literal, let command = ReplayCommands.named(name) else { return }
        typedLines.append(statement.source)
        if command.isStepping { lastStep = statement }
        let line = ReplayLine(statement)
        func run() throws {
            do {
                try command.run(self, line)
            } catch let error as DebuggerError {
                throw CommandFailure(error.description)
            }
        }
        guard statement.mustFail else { return try run() }
        do {
            try run()
        } catch is CommandFailure {
            return
        }
        throw CommandFailure("expected failure ('!'), but the command succeeded")
    }
}

/// The prompt of a replay.
struct ReplayPrompter: PromptReceiver {
    let session: ReplaySession
    let editor: any LineEditor
    var promptOutput: any ShellOutput { session.output }

    static func run(_ path: String, output: TerminalOutput, pages: Bool) throws -> Outcome {
        let interruption = Interruption()
        let session = try ReplaySession(path: path, output: output, isInteractive: true, interruption: interruption)
        if session.reader.completeness != .closed { output.error("\(path): \(session.reader.completeness)") }
        session.printBehaviourNotice(path)
        if output.clock.isMissing { output.error("\(path): \(EventClock.missing)") }
        output.line("\(path): \(session.reader.header.title), \(session.count) events; 'help' lists the commands")
        ReportText(session.reader, path: session.path)?.head.forEach(output.line)
        let editor = makeEditor(session, output: output)
        output.attach(editor)
        session.pages = pages
        Signals.onInterrupt { interruption.raise() }
        defer {
            output.attach(nil)
            editor.close()
        }
        try ShellError.reportingDamage(of: path) {
            try ReplayPrompter(session: session, editor: editor).readLines(from: editor)
        }
        return .ok
    }

    private static func makeEditor(_ session: ReplaySession, output: TerminalOutput) -> any LineEditor {
        let answers = ReplayAnswers(session: session)
        var options = TerminalEditor.Options()
        options.colour = output.colour
        options.complete = { answers.complete($0, $1) }
        // The replay has a history of its own, because its commands differ from those of the shell.
        options.history = PromptEditor.history(
            in: Folder.state + "/replay", profile: session.dialect.profile, output)
        return PromptEditor.make(options)
    }

    var isOver: Bool { session.isOver }

    func prompt() throws -> Prompt {
        // Removes an earlier ^C. After the end of the line, ^C is for the command, even before the command starts.
        _ = session.interruption?.take()
        return try session.prompt()
    }

    /// ^D ends the fork if there is one, otherwise the replay.
    func endInput() throws -> Bool {
        guard session.currentFork != nil else { return true }
        try session.endFork()
        return false
    }

    func run(_ line: String) throws {
        guard let statement = try Statement.parse(line) ?? repeated(by: line) else { return }
        if session.currentFork == nil, let error = ReplayCommands.check(statement).first { throw error }
        let checked = session.currentFork?.shell.checked(statement) ?? CheckedStatement(statement)
        try session.output.paged(session.pages) { try session.execute(checked) }
    }

    /// The statement that an empty line repeats: the last step. Nil for any other line, and in a fork.
    private func repeated(by line: String) -> Statement? {
        guard session.currentFork == nil, line.allSatisfy({ $0 == " " || $0 == "\t" }) else { return nil }
        return session.lastStep
    }
}
