import ArgumentParser
import IMDebugger
import IMExport
import IMShell
import IMText

/// The request of a command line.
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
                // The library's own commands, such as its help, throw their text as an answer.
                try parsed.run()
                self = .failure("the command line is invalid")
                return
            }
            if let option = Self.strayOption(in: arguments, before: action) {
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

    /// `imrepl help login` prints the same as `help login` at the prompt; the library has only the subcommands.
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

    /// Options that a subcommand does not have: the library accepts the program's options after a subcommand,
    /// without an error.
    private static func strayOption(in arguments: [String], before action: any CommandLineAction) -> String? {
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

    /// One clear line first, then a hint, then a reference to further help.
    private static func failure(_ message: String, full: String, arguments: [String]) -> String {
        if let hint = ValueHint.hint(for: message) ?? missingForm(message, arguments) {
            return "imrepl: \(message.prefix(1).lowercased() + message.dropFirst())\n\(hint)"
        }
        guard let first = arguments.first,
            message.hasPrefix("Unexpected argument") || message.contains("unexpected arguments"),
            !TerminalCommand.names.contains(first)
        else { return full.replacingPrefix("Error: ", with: "imrepl: ") }
        let word = arguments.first { !$0.hasPrefix("-") } ?? first
        return "imrepl: \(message.prefix(1).lowercased() + message.dropFirst())\n\(hint(for: word))"
    }

    /// `export last html`: the format is an option.
    private static func missingForm(_ message: String, _ arguments: [String]) -> String? {
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

    /// Executes it. The two closures print to stdout and stderr.
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
