import Foundation
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMShell
import IMSimulation
import IMText
import LineEditing
import SansIO

/// The prompt of a shell: it runs one line after the other.
struct Prompter: PromptReceiver {
    let shell: Shell
    let editor: any LineEditor
    var promptOutput: any ShellOutput { shell.output }

    /// - Returns: the code of `quit`, otherwise 0.
    func run() throws -> Outcome {
        try readLines(from: editor)
        return shell.exitRequest.code.flatMap(Outcome.init(rawValue:)) ?? .ok
    }

    var isOver: Bool { shell.exitRequest.requested }

    func prompt() throws -> Prompt {
        // Removes an earlier ^C. After the end of the line, ^C is for the command, even before the command starts.
        _ = shell.interruption.take()
        return try shell.prompt()
    }

    func run(_ line: String) throws {
        let statements = try Statement.parseAll(line).map(shell.checked)
        guard !statements.isEmpty else { return }
        shell.lineLock.lock()
        defer { shell.lineLock.unlock() }
        // Only an answer goes through the pager. Events of the world are shown as they happen.
        let natures = statements.map { shell.nature(of: $0) }
        try shell.output.paged(shell.settings.pages && natures.allSatisfy { $0?.hasAnswer == true }) {
            for checked in statements { try ScriptRunner.execute(checked.statement, as: checked.command, in: shell) }
        }
        // Lets time pass after the last command of the line, so that all commands of the line run at the same time.
        try shell.settle(after: natures.first { $0?.needsTime == true } ?? nil)
    }

    /// True if the recording has failed: the session then ends.
    func isEnd(_ error: any Error) -> Bool { error is RecordingFailure }
}

extension Shell {
    /// The line that explains how time passes at the prompt of a simulated world; empty for a live world.
    var virtualTimeNote: [String] {
        guard world.isSimulated else { return [] }
        let passes =
            settings.settle > .zero
            ? "\(settings.settle.text) pass after each command ('set settle=0s' disables this)"
            : "no time passes by itself ('set settle=2s' changes this)"
        return ["virtual time: \(passes); 'A; B' runs two commands at the same moment"]
    }

    /// Lets a little time pass after a command at the prompt of a simulated world (`set settle`). Virtual time does not
    /// pass by itself.
    func settle(after nature: CommandNature?) throws {
        guard world.isSimulated, settings.settle > .zero, nature?.needsTime == true else { return }
        _ = try letPass(settings.settle) { _ in false }
    }

    /// A statement with its parsed command. A statement with variables has no command: it is parsed when it runs,
    /// because an earlier statement of its line may change the variables. An invalid statement has no command either:
    /// its error is reported when it runs.
    func checked(_ statement: Statement) -> CheckedStatement {
        guard statement.variables.isEmpty else { return CheckedStatement(statement) }
        return CheckedStatement(statement, try? CommandParser.parse(statement))
    }

    /// The effect of a statement on the world; nil for an invalid statement.
    func nature(of checked: CheckedStatement) -> CommandNature? {
        (checked.command ?? (try? CommandParser.parse(checked.statement, variables: variables)))?.nature
    }
}

extension Shell {
    /// The prompt: the current client and its state, which may change while the line is edited.
    func prompt() throws -> Prompt {
        let name = currentClient
        let (state, time) = try world.perform { core in
            (name.flatMap { core.node(named: $0) }.flatMap { core[$0].client?.state }, core.now)
        }
        let right = world.isSimulated ? "t=\(time.secondsText)" : nil
        let fork = plan.origin.map { [StyledText("fork@\($0.number)", .dim), StyledText(" ")] } ?? []
        guard let name else { return Prompt(fork + [.init("\(plan.dialect.profile)> ", .bold)], right: right) }
        let colour: TextColour =
            switch state {
            case .online: .green
            case .kicked, .tokenExpired: .red
            case .connecting, .syncing, .reconnecting, .offline: .yellow
            case .loggedOut, nil: .plain
            }
        return Prompt(
            fork + [.init(name, .bold), .init("("), .init(state?.name ?? "not running", colour), .init(")> ")],
            right: right)
    }
}

/// Provides the editor, while a line is edited, with the completions after TAB and with the prompt after each event.
struct ShellAnswers: @unchecked Sendable {
    /// `@unchecked Sendable`: it is only read, by the thread that reads the line, which is also the thread of the
    /// shell.
    let shell: Shell

    func complete(_ line: String, _ cursor: Int) -> LineCompletion {
        CompletionEngine(table: .shell).complete(line, cursor: cursor, context: context)
    }

    func prompt() -> Prompt? { try? shell.prompt() }

    private var context: CompletionContext {
        var context = CompletionContext()
        let known = try? shell.world.perform { core -> ([String], [String], [String], [String]) in
            let machines = core.clients.compactMap { core[$0].client }
            let users = core.serverID.flatMap { core[$0].machine?.server?.users } ?? []
            return (
                core.clients.map { core[$0].name }, users, core.clients.compactMap { core[$0].device?.id },
                machines.flatMap(\.joinedChannels)
            )
        }
        if let known { (context.clients, context.users, context.devices, context.channels) = known }
        context.variables = Array(shell.variables.keys)
        context.profiles = Dialects.all.map(\.profile)
        context.frames = FrameBody.names
        context.callbacks = shell.plan.dialect.callbacks.map(\.name)
        for shape in shell.plan.dialect.callbacks { context.callbackFields[shape.name, default: []] += shape.fields }
        context.absentCommands = ProfileCommands.absent(in: shell.plan.dialect.clientPolicy.features)
        context.settings = Shell.settingNames.map(\.key)
        context.options = shell.plan.dialect.clientPolicy.features.contains(.tree) ? [] : Shell.optionNames
        context.policies = ServerPolicy.settings.map(\.key)
        context.clientPolicies = ClientPolicy.settings.map(\.key)
        for (key, takes) in ServerPolicy.settings.map({ ($0.key, $0.takes) }) + Shell.settingNames
        where takes.contains("|") {
            context.choices[key] = takes.split(separator: "|").map(String.init)
        }
        context.files = FileNames.beginning
        return context
    }
}

/// Paths on disk, for completion.
enum FileNames {
    /// Paths that start with a text; folders end with `/`.
    @Sendable static func beginning(with text: String) -> [String] {
        let folder = Folder.parent(of: text)
        let shown = folder.isEmpty ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        let last = text.hasSuffix("/") ? "" : (text as NSString).lastPathComponent
        let base = text.hasSuffix("/") ? text : shown
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.isEmpty ? "." : base)) ?? []
        return names.filter { $0.hasPrefix(last) && (!$0.hasPrefix(".") || last.hasPrefix(".")) }.sorted().map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: base + name, isDirectory: &isFolder)
            return base + name + (isFolder.boolValue ? "/" : "")
        }
    }
}
