import ArgumentParser
import IMDebugger
import IMExport
import IMShell
import IMText

/// The action that a command line requests, or the text to print instead.
enum ProgramStart {
    case action(any CommandLineAction)
    /// Help or the version: printed to stdout, with exit code `.ok`.
    case text(String)
    /// An error: printed to stderr, with exit code `.usage`.
    case failure(String)

    /// Parses the arguments after the program's name.
    /// - Parameter columns: the maximum width of help.
    init(arguments: [String], columns: Int = 80) {
        if let help = Self.help(arguments, columns: columns) {
            self = help
            return
        }
        do {
            var parsed = try ImreplCommand.parseAsRoot(arguments)
            guard let action = parsed as? any CommandLineAction else {
                // The commands of the ArgumentParser library itself, such as `help`, throw the text to print.
                try parsed.run()
                self = .failure("the command line is invalid")
                return
            }
            if let option = Self.unsupportedOption(in: arguments, before: action) {
                self = .failure("imrepl: '\(Self.name(of: action))' does not take '\(option)'")
                return
            }
            self = .action(action)
        } catch {
            let text = ImreplCommand.fullMessage(for: error, columns: columns)
            if ImreplCommand.exitCode(for: error) == .success {
                self = .text(text)
            } else {
                self = .failure(Self.failure(ImreplCommand.message(for: error), full: text, arguments: arguments))
            }
        }
    }

    /// The help for a word. `imrepl help login` prints the same text as `help login` at the prompt. Nil for a
    /// subcommand, which the ArgumentParser library explains.
    private static func help(_ arguments: [String], columns: Int) -> ProgramStart? {
        let isJSON = arguments.contains("--json")
        let words = arguments.dropFirst().filter { $0 != "--json" }
        guard arguments.first == "help" else { return nil }
        if isJSON, words.isEmpty {
            let help = HelpText(table: .shell, library: .find())
            return .text(
                help.reference(program: CommandTable(program: ImreplCommand.self), policies: AnswerObject.policies).json
            )
        }
        guard let word = words.first, !word.hasPrefix("-") || Int(word) != nil else { return nil }
        guard isJSON || !TerminalCommand.names.contains(word), word != "help" else { return nil }
        do throws(WordError) {
            let help = HelpText(table: .shell, width: columns, library: .find())
            let text = try help.text(for: words)
            return .text(isJSON ? help.object(for: words, text: text).json : text)
        } catch {
            let near = Suggestion.nearest(to: word, among: TerminalCommand.names).map { "did you mean '\($0)'?" }
            let general = "'imrepl help' lists the subcommands, 'imrepl -c help' the commands of the prompt"
            let hint =
                near ?? error.hint.flatMap { $0.hasPrefix("did") || $0.hasPrefix("available: ") ? $0 : nil } ?? general
            return .failure("imrepl: \(error.message)\n\(hint)")
        }
    }

    private static func name(of action: any CommandLineAction) -> String {
        type(of: action).configuration.commandName ?? ""
    }

    /// The first option that the subcommand does not have; nil if there is none. The ArgumentParser library accepts the
    /// options of `imrepl` after a subcommand, and reports no error.
    private static func unsupportedOption(in arguments: [String], before action: any CommandLineAction) -> String? {
        guard !(action is ImreplCommand) else { return nil }
        let help = type(of: action).helpMessage(includeHidden: true, columns: 200)
        let known = help.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.filter { $0.hasPrefix("-") }
        var isLine = false
        for argument in arguments {
            if argument == "--" { return nil }
            defer { isLine = argument == "-c" }
            guard !isLine, argument.hasPrefix("-"), argument.count > 1 else { continue }
            let name = argument.prefix { $0 != "=" }
            guard name.dropFirst().first != nil, name.dropFirst().first?.isNumber == false else { continue }
            // '-oFILE' is '-o' with its value.
            let isKnown = known.contains(name) || !name.hasPrefix("--") && known.contains(name.prefix(2))
            guard isKnown else { return String(name) }
        }
        return nil
    }

    /// The text for an invalid command line: the error in one line, then a hint or a reference to the help.
    private static func failure(_ message: String, full: String, arguments: [String]) -> String {
        if let hint = ValueHint.hint(for: message) ?? missingFormatHint(message, arguments) {
            return "imrepl: \(message.prefix(1).lowercased() + message.dropFirst())\n\(hint)"
        }
        guard let first = arguments.first,
            message.hasPrefix("Unexpected argument") || message.contains("unexpected arguments"),
            !TerminalCommand.names.contains(first)
        else { return full.replacingPrefix("Error: ", with: "imrepl: ") }
        let word = arguments.first { !$0.hasPrefix("-") } ?? first
        return "imrepl: \(message.prefix(1).lowercased() + message.dropFirst())\n\(hint(for: word))"
    }

    /// The hint for `export last html`, where the format is given without `--as`; nil for any other error.
    private static func missingFormatHint(_ message: String, _ arguments: [String]) -> String? {
        guard arguments.first == "export", message.contains("--as") || message.contains("unexpected argument") else {
            return nil
        }
        let forms = ExportFormat.allCases.map(\.rawValue)
        if let form = arguments.dropFirst().first(where: forms.contains), !arguments.contains("--as") {
            let rest = arguments.filter { $0 != form }.joined(separator: " ")
            return "did you mean 'imrepl \(rest) --as \(form)'?"
        }
        return arguments.contains("--as") ? nil : "formats: \(forms.map { "--as \($0)" }.joined(separator: ", "))"
    }

    /// The subcommand that an unknown word probably means.
    private static func hint(for word: String) -> String {
        if word.hasSuffix(".imr") { return "did you mean 'imrepl run \(word)'?" }
        if word.hasSuffix(".pcapng") || word == "last" { return "did you mean 'imrepl replay \(word)'?" }
        if ["convert", "parse"].contains(word) { return "did you mean 'imrepl import LOG'?" }
        if RecordingFiles.isText(word) {
            return "if it is a log, 'imrepl import \(word) -o FILE.pcapng' converts it to a session"
        }
        if word == "version" { return "did you mean 'imrepl --version'?" }
        if HelpText.topics.contains(where: { $0.word == word }) { return "did you mean 'imrepl help \(word)'?" }
        if let name = Suggestion.nearest(to: word, among: TerminalCommand.names) {
            return "did you mean 'imrepl \(name)'?"
        }
        if CommandTable.shell.command(word.lowercased()) != nil {
            let word = word.lowercased()
            return "'\(word)' is a prompt command: start 'imrepl' and type it, or use imrepl -c '\(word) …'"
        }
        return "'imrepl --help' lists the subcommands"
    }

    /// Performs the action, or prints the text. `out` prints to stdout, `error` to stderr.
    func perform(_ entry: any Entry, out: (String) -> Void, error: (String) -> Void) async -> Outcome {
        switch self {
        case .text(let text):
            out(text)
            return .ok
        case .failure(let text):
            error(text)
            return .usage
        case .action(let action):
            do {
                return try await action.perform(entry)
            } catch let failure as ShellError {
                error("imrepl: \(failure.message)")
                return Outcome(failure.reason)
            } catch let failure as ExportError {
                error("imrepl: \(failure)")
                return Outcome(failure.reason)
            } catch let failure {
                error("imrepl: \(failure)")
                return .internalError
            }
        }
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
