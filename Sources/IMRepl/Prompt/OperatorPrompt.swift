import Foundation
import IMDebugger
import IMShell
import IMText
import LineEditing
import Recorder

/// The prompt of a server's operator, with the `server` commands for each application of the server. The lines come
/// from a terminal, where events are shown above the line that is being edited, or from a pipe, where each line is
/// answered as it arrives.
final class OperatorPrompt: PromptReceiver {
    private let applications: [Shell]
    private let output: TerminalOutput
    let editor: any LineEditor
    private let isTerminal: Bool
    private var current: Shell?

    /// The operator's commands besides `server …`.
    private static let otherCommands: Set<String> = [
        "use", "help", "?", "status", "timeline", "rec", "sessions", "history", "set", "echo", "clear", "quit", "exit",
        "q",
    ]

    init(_ applications: [Shell], output: TerminalOutput) {
        self.applications = applications
        self.output = output
        current = applications.count == 1 ? applications.first : nil
        isTerminal = isatty(STDIN_FILENO) != 0
        editor = Self.makeEditor(output: output, isTerminal: isTerminal)
        for shell in applications {
            shell.typedLines = (editor as? TerminalEditor).map { _ in Self.history(output).load }
        }
    }

    private static func history(_ output: TerminalOutput) -> HistoryFile {
        PromptEditor.history(in: Folder.state + "/serve", profile: "serve", output)
    }

    private static func makeEditor(output: TerminalOutput, isTerminal: Bool) -> any LineEditor {
        guard isTerminal else { return PlainLineReader(descriptor: STDIN_FILENO, source: "stdin") }
        var options = TerminalEditor.Options()
        options.colour = output.colour
        options.history = history(output)
        options.complete = { CompletionEngine(table: .shell).complete($0, cursor: $1, context: CompletionContext()) }
        return PromptEditor.make(options)
    }

    /// Ends a read in progress. It may be called on any thread.
    func close() { editor.close() }

    /// True if the process may read its input: the system stops a background process that reads from its terminal.
    static var hasInput: Bool { isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Reads lines until `quit`. On a terminal ^D ends the server too; the end of a pipe leaves it running.
    ///
    /// - Returns: the server's outcome; nil if it continues without an operator.
    func run() throws -> Outcome? {
        if isTerminal { output.attach(editor) }
        defer {
            output.attach(nil)
            editor.close()
        }
        try readLines(from: editor)
        return quitCode ?? (isTerminal ? .ok : nil)
    }

    var isOver: Bool { quitCode != nil }
    var promptOutput: any ShellOutput { output }

    private var quitCode: Outcome? {
        guard let request = applications.map(\.exitRequest).first(where: \.requested) else { return nil }
        return request.code.map(Outcome.init(rawValue:)) ?? .ok
    }

    func prompt() -> Prompt {
        Prompt([.init("serve"), .init(current.map { " " + $0.plan.dialect.profile } ?? "", .bold), .init("> ")])
    }

    func run(_ line: String) throws {
        if let statement = try Statement.parse(line) { try execute(statement) }
    }

    private func execute(_ statement: Statement) throws {
        let name = statement.words.first?.literal ?? ""
        var command = try CommandParser.parse(statement)
        guard name == "server" || Self.otherCommands.contains(name), statement.client == nil else {
            throw CommandFailure(
                "the prompt of a server has no clients; it has 'server …', status, timeline, use, quit; "
                    + "run clients in another shell, in another terminal")
        }
        if ["help", "?"].contains(name), statement.words.count == 1 { return try output.paged(true, help) }
        if name == "use" { return try use(statement.words.dropFirst().first?.literal ?? "") }
        if name == "status" {
            for shell in current.map({ [$0] }) ?? applications { try shell.printServerStatus() }
            return
        }
        // A setting applies to all applications, because they share one screen.
        if name == "set", current == nil, statement.words.count > 1 {
            for shell in applications { try shell.run(&command) }
            return
        }
        let isForAll = ["help", "?", "quit", "exit", "q", "clear", "echo", "history", "sessions", "set"].contains(name)
        try (isForAll ? current ?? applications[0] : selected).run(&command)
    }

    private func help() throws {
        output.line(try HelpText(table: .shell).text(for: ["server"]))
        let names = Self.otherCommands.filter { $0.count > 1 && $0 != "exit" }.sorted().joined(separator: ", ")
        output.line("\nAlso: \(names); 'help COMMAND' explains a command.")
        output.line("Run clients in another shell, in another terminal.")
    }

    /// The application that `use` selected.
    private var selected: Shell {
        get throws {
            guard let current else {
                let names = applications.map(\.plan.dialect.profile).joined(separator: ", ")
                throw CommandFailure(
                    "select an application: 'use \(applications[0].plan.dialect.profile)' (\(names))")
            }
            return current
        }
    }

    private func use(_ name: String) throws {
        let names = applications.map(\.plan.dialect.profile)
        guard let shell = applications.first(where: { $0.plan.dialect.profile == name }) else {
            let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure("'\(name)' is not served here\(hint) (\(names.joined(separator: ", ")))")
        }
        current = shell
        output.line("\(name): \(shell.plan.dialect.title)")
    }
}

extension Shell {
    /// Runs a command whose statement has been checked.
    fileprivate func run(_ command: inout ParsedCommand) throws {
        try output.paged(settings.pages) { try command.execute(in: self) }
    }

    /// Prints the number of accounts and the recording of an application in one line.
    fileprivate func printServerStatus() throws {
        let accounts = try world.perform { core in core.serverID.flatMap { core[$0].machine?.server?.users.count } }
        printResult(
            "\(plan.dialect.profile): \(accounts.map { "\($0) account\($0 == 1 ? "" : "s")" } ?? "down")"
                + (recordingPath.map { ", recording into \($0)" } ?? ""))
    }
}
