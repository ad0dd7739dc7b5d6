import IMDebugger
import IMShell
import IMText

/// The shell of a conversation, which starts with the first command that needs a world.
///
/// Lines from a pipe are no script: the time of the world advances also without input, and queries wait for earlier
/// commands to finish.
final class ShellTarget: ConversationTarget {
    let output: any ShellOutput
    private let settings: ProgramSettings
    /// The script, if all lines are known before the first one runs; time then stops between the lines. Nil for lines
    /// from a pipe.
    private let script: CheckedScript?
    /// The blank lines and comments before the first command. In a script they can describe the world.
    private var head: [String] = []
    private var shell: Shell?

    init(_ settings: ProgramSettings, script: CheckedScript? = nil, output: any ShellOutput) {
        self.settings = settings
        self.script = script
        self.output = output
    }

    var isOver: Bool { shell?.exitRequest.requested ?? false }

    var continuesAfterFailure: Bool { shell.map { $0.onError == .proceed } ?? (output.form == .json) }

    var lastEventNumber: UInt64 {
        ((try? shell?.world.perform { $0.recording.map { UInt64($0.eventCount) } }) ?? nil) ?? 0
    }

    func parse(_ text: String) throws -> [CheckedStatement] {
        let found = try Statement.parseAll(text).map(CheckedStatement.check)
        if let error = found.lazy.compactMap(\.errors.first).first { throw error }
        if found.isEmpty, shell == nil { head.append(text) }
        return found.map(\.checked)
    }

    /// Starts the shell, except for lines that only request help: for these no server starts and nothing is recorded.
    func prepare(_ statements: [CheckedStatement]) throws {
        guard shell == nil, statements.isEmpty || statements.contains(where: { help($0) == nil }) else { return }
        let head = try script?.metadata ?? metadata()
        var plan = try WorldPlan(
            settings.world, head: head, defaultKind: .live, isScripted: true,
            title: script?.title ?? "typed by a program")
        plan.isScripted = script != nil
        if let script { try ScriptFile.require(script, for: plan.dialect) }
        let shell = try Shell(
            plan, recording: settings.shellRecording, output: output, isInteractive: false, host: ProgramHost())
        shell.sourceFolders = ["."]
        shell.completesRecordingAtEnd()
        self.shell = shell
    }

    private func metadata() throws -> ScriptMetadata {
        try ScriptFile.parse(
            Array(head.joined(separator: "\n").utf8), named: "stdin", origin: .pipe, variables: []
        ).metadata
    }

    private func help(_ checked: CheckedStatement) -> (text: String, object: AnswerObject)? {
        checked.statement.mustFail ? nil : checked.command?.help(LibraryIndex.find)
    }

    func execute(_ checked: CheckedStatement) throws {
        guard let shell else {
            guard let answer = help(checked) else { return }
            return output.form == .json ? output.object(answer.object) : output.line(answer.text)
        }
        shell.lineLock.lock()
        defer { shell.lineLock.unlock() }
        // Queries wait for earlier commands to finish.
        if shell.nature(of: checked)?.queriesWorld == true { try shell.awaitRunningCommands() }
        try ScriptRunner.execute(checked.statement, as: checked.command, in: shell)
    }

    func isEnd(_ error: any Error) -> Bool { false }

    /// Waits for commands in progress, and closes the shell and its world.
    func end(_ outcome: Outcome) throws -> Outcome {
        var outcome = outcome
        guard let shell else {
            output.end(outcome)
            return outcome
        }
        if outcome == .ok, !shell.exitRequest.requested { try shell.awaitRunningCommands() }
        // If the server was unreachable, a script without expectations fails. A script with expectations has checked
        // the connection itself.
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
}
