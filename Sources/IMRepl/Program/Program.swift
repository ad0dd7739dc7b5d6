import Foundation
import IMDebugger
import IMExport
import IMProfiles
import IMProtocol
import IMSession
import IMShell
import IMSimulation
import IMText
import LineEditing
import Recorder
import SansIO

/// Executes the command line.
struct Program: Entry {
    /// The checkers of `check rules` in scripts; nil for none.
    var checkers: RuleCheckers?

    func interactive(_ settings: ProgramSettings, lines: [String]) async throws -> Outcome {
        try await onOwnThread {
            try Watchdog.start(settings.watchdog)
            if !lines.isEmpty {
                let script = try ScriptFile.parse(
                    Array(lines.joined(separator: "\n").utf8), named: "-c", origin: .commandLine, variables: [])
                let target = ShellTarget(settings, script: script, output: output(settings))
                return try Conversation(target).run(script.script, script.checked)
            }
            guard settings.asJSON || isatty(STDIN_FILENO) == 0 else { return try prompt(settings) }
            return try Conversation(ShellTarget(settings, output: output(settings))).runInput()
        }
    }

    func run(_ request: RunRequest) async throws -> Outcome {
        try await onOwnThread {
            try Watchdog.start(request.settings.watchdog)
            let names = Set(request.variables.map(\.key))
            let script = try ScriptFile.read(request.file, variables: names)
            return try play(
                script, request.settings, folder: Folder.parent(of: request.file),
                variables: request.variables)
        }
    }

    func test(_ request: TestRequest) async throws -> Outcome {
        try await onOwnThread {
            try Watchdog.start(request.settings.watchdog)
            return try ending(output(request.settings)) {
                try TestRunner(request: request, output: $0, checkers: checkers).run()
            }
        }
    }

    func sessions(_ action: SessionsAction, _ settings: CommonSettings) async throws -> Outcome {
        let files = RecordingFiles(dataFolder: settings.dataFolder)
        return try ending(output(settings)) { output in
            try SessionListing(
                files: files, printResult: output.line, warn: output.error, row: output.rows, columns: output.columns
            ).perform(action)
        }
    }

    func verify(_ files: [String], _ settings: CommonSettings) async throws -> Outcome {
        let recordings = RecordingFiles(dataFolder: settings.dataFolder)
        let paths = try files.map { $0 == "last" ? try recordings.find($0) : $0 }
        return try ending(output(settings)) { SessionCheck(output: $0).verify(paths) }
    }

    func show(_ request: ShowRequest) async throws -> Outcome {
        // An error of the filter is reported before any error of the file.
        var filter = try request.filter.map { try Filter(reading: $0) }
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let output = BlockOutput(output(request.settings))
        // If an error is thrown, this writes the results before the error.
        defer { output.flush() }
        let (reader, log) = try LogFile.openSession(path, formats: request.formats, profile: request.profile)
        output.clock = EventClock(wall: WallClock(reader.header), shown: request.clock)
        if output.clock.isMissing { output.error("\(path): \(EventClock.missing)") }
        if let log, !request.asJSON { output.line("# a log, \(LogFile.summary(log))") }
        if reader.isOfServerAlone { filter = try request.filter.map { try Filter(reading: $0, ofServer: true) } }
        if !request.asJSON, filter == nil, let report = BugReport(reader) {
            ReportText(report: report, path: path).top.forEach { output.line("# \($0)") }
        }
        let printer = try SessionPrinter(reader, path: path, output: output)
        _ = try ShellError.reportingDamage(of: path) { try printer.print(asJSON: request.asJSON, filter: filter) }
        if reader.completeness != .closed { output.error("\(path): \(reader.completeness)") }
        return .ok
    }

    func diff(_ left: String, _ right: String, _ settings: CommonSettings) async throws -> Outcome {
        let recordings = RecordingFiles(dataFolder: settings.dataFolder)
        let paths = (try recordings.find(left), try recordings.find(right))
        return try ending(output(settings)) { try SessionCheck(output: $0).diff(paths.0, paths.1) }
    }

    // MARK: Parts

    private func output(_ settings: ProgramSettings) -> TerminalOutput {
        TerminalOutput(colour: Colours.areOn(settings.color), form: settings.asJSON ? .json : .text)
    }

    func output(_ settings: CommonSettings) -> TerminalOutput {
        TerminalOutput(colour: Colours.areOn(settings.color), form: settings.asJSON ? .json : .text)
    }

    /// Runs a script, and prints its events to stdout as they happen.
    private func play(
        _ script: CheckedScript, _ settings: ProgramSettings, folder: String, variables: [KeyValue] = []
    ) throws -> Outcome {
        let output = output(settings)
        // Only the live world has a clock with a speed, so a time scale selects the live world, as in 'test'.
        let isLiveByDefault = (settings.world.timeScale ?? script.metadata.timeScale) != nil
        let plan = try WorldPlan(
            settings.world, head: script.metadata, defaultKind: isLiveByDefault ? .live : .simulated, isScripted: true,
            title: script.metadata.title ?? (script.name as NSString).lastPathComponent)
        try ScriptFile.require(script, for: plan.dialect)
        if plan.kind == .live { RealTime(script, timeScale: plan.timeScale).announce(on: output) }
        let shell = try Shell(
            plan, recording: settings.shellRecording, output: output, isInteractive: false,
            host: ProgramHost(checkers: checkers))
        shell.completesRecordingAtEnd()
        shell.sourceFolders = [folder.isEmpty ? "." : folder]
        for variable in variables { shell.variables[variable.key] = variable.value }
        var failure: ScriptFailure?
        do {
            try ScriptRunner(shell: shell, script: script).run()
        } catch let thrown as ScriptFailure {
            failure = thrown
        } catch let thrown as RecordingFailure {
            try? shell.close()
            throw thrown
        }
        // If the server was unreachable, a script without expectations fails. A script with expectations has checked
        // the connection itself.
        let isUnreached = try shell.expectationCount == 0 && shell.unreachableReason != nil
        try shell.close()
        let path = shell.recordingPath
        if let failure {
            output.error("\(failure)")
            if let path { output.error("session: \(path)\nshow it: imrepl show \(path)") }
            return .failed
        }
        if let path { output.error("recorded \(path)") }
        return shell.exitRequest.code.map(Outcome.init(rawValue:)) ?? (isUnreached ? .environment : .ok)
    }

    private func prompt(_ settings: ProgramSettings) throws -> Outcome {
        let colour = Colours.areOn(settings.color)
        let output = TerminalOutput(colour: colour)
        let plan = try WorldPlan(
            settings.world, head: ScriptMetadata(), defaultKind: .live, isScripted: false, title: "typed at the prompt")
        let interruption = Interruption()
        let shell = try Shell(
            plan, recording: settings.shellRecording, output: output, isInteractive: true, interruption: interruption,
            host: ProgramHost())
        let history = PromptEditor.history(in: Folder.state, profile: plan.dialect.profile, output)
        shell.typedLines = history.load
        shell.settings.pages = settings.pages
        let editor = makeEditor(shell, history, colour: colour)
        output.attach(editor)
        Signals.onInterrupt { interruption.raise() }
        shell.completesRecordingAtEnd()
        Signals.beforeEnd { editor.close() }
        if settings.readsRC { readRC(into: shell) }
        if let path = shell.recordingPath { output.line("recording into \(path); 'help' lists the commands") }
        shell.virtualTimeNote.forEach(output.line)
        let outcome: Outcome
        do {
            outcome = try Prompter(shell: shell, editor: editor).run()
        } catch {
            output.attach(nil)
            editor.close()
            try? shell.close()
            throw error
        }
        output.attach(nil)
        editor.close()
        try shell.close()
        if let path = shell.recordingPath {
            output.line("recorded \(path)")
            if path == shell.files.all().first { output.line("'imrepl replay last' steps through it") }
        }
        return outcome
    }

    private func makeEditor(_ shell: Shell, _ history: HistoryFile, colour: Bool) -> any LineEditor {
        let answers = ShellAnswers(shell: shell)
        var options = TerminalEditor.Options()
        options.colour = colour
        options.complete = { answers.complete($0, $1) }
        options.prompt = { answers.prompt() }
        options.history = history
        return PromptEditor.make(options)
    }

    private func readRC(into shell: Shell) {
        guard FileManager.default.fileExists(atPath: Folder.rc) else { return }
        do {
            let data = FileManager.default.contents(atPath: Folder.rc) ?? Data()
            let script = try ScriptFile.parse(Array(data), named: Folder.rc, origin: .pipe, variables: [])
            try ScriptRunner(shell: shell, script: script).run()
        } catch {
            shell.output.error("\(error)")
        }
    }
}

extension ProgramSettings {
    var shellRecording: Shell.RecordingChoice {
        switch recording {
        case .automatic: .automatic
        case .file(let path, let overwrites): .file(path, overwrites: overwrites)
        case .off: .off
        }
    }
}

/// Decides whether colours are used. The option `--color` overrides the environment variables, and these override the
/// check for a terminal.
enum Colours {
    static func areOn(_ mode: ColorMode) -> Bool {
        switch mode {
        case .always: return true
        case .never: return false
        case .auto:
            let environment = ProcessInfo.processInfo.environment
            if let value = environment["NO_COLOR"], !value.isEmpty { return false }
            if environment["TERM"] == "dumb" { return false }
            return isatty(STDOUT_FILENO) != 0
        }
    }
}

/// Runs blocking work on a separate thread, so that it does not block a thread of Swift's shared pool.
package func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread {
            continuation.resume(
                with: Result { try work() }.mapError { error in
                    (error as? RecordingFailure).map { ShellError(message: $0.description, reason: .environment) }
                        ?? error
                })
        }
        thread.name = "shell"
        thread.stackSize = 8 << 20
        thread.start()
    }
}

/// Runs `body`, and then writes the last object for programs, which contains the exit code.
func ending(_ output: TerminalOutput, _ body: (TerminalOutput) throws -> Outcome) throws -> Outcome {
    let outcome = try body(output)
    output.end(outcome)
    return outcome
}

extension ShellOutput {
    /// Writes the last object for programs: the exit code, and the recording if there is one.
    func end(_ outcome: Outcome, recording: String? = nil) {
        var object = AnswerObject(.end)
        object.add("status", number: outcome.rawValue)
        object.add("recording", recording)
        self.object(object)
    }

    /// Writes a row for programs; nil if the output is text.
    var rows: (([(name: String, value: AnswerValue)]) -> Void)? {
        guard form == .json else { return nil }
        return { object(.row($0)) }
    }
}
