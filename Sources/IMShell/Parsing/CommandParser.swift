import ArgumentParser
import IMDebugger
import IMText

/// A parsed command, ready to run.
package struct ParsedCommand {
    var command: any ShellCommand
    var client: String?

    /// The kind of effect that the command has on the world.
    package var nature: CommandNature { command.nature }

    /// The answer if the command is `help`, as text and as JSON object; nil for other commands. `help` needs no world.
    ///
    /// - Parameter library: returns the session library; called only if the command is `help`.
    package func help(_ library: () -> LibraryIndex) -> (text: String, object: AnswerObject)? {
        guard let words = (command as? HelpCommand)?.words.map(\.value) else { return nil }
        let help = HelpText(table: .shell, library: library())
        return (try? help.text(for: words)).map { ($0, help.object(for: words, text: $0)) }
    }

    /// True if the command applies to a client.
    package var isForClient: Bool { type(of: command).takesClient }

    /// Runs the command. The caller checks whether a command after `!` fails as expected.
    package mutating func execute(in shell: any ShellContext) throws {
        try command.execute(in: shell, client: client)
    }
}

/// Converts statements to commands, by the declarations in `ShellRoot`.
package enum CommandParser {
    /// Parses a statement after replacing its variables.
    /// - Throws: one `Diagnostic`, with the position of the wrong word if it is known.
    package static func parse(_ statement: Statement, variables: [String: String] = [:]) throws(Diagnostic)
        -> ParsedCommand
    {
        let texts = try statement.expand(variables)
        let command: any ShellCommand
        do throws(Diagnostic) {
            command = try Self.command(statement, texts)
        } catch {
            throw addingClientHint(statement, error)
        }
        return ParsedCommand(command: command, client: statement.client)
    }

    /// If the error is an `@client` after the command, adds the hint that it belongs before the command.
    private static func addingClientHint(_ statement: Statement, _ error: Diagnostic) -> Diagnostic {
        guard statement.client == nil,
            let word = statement.words.dropFirst().first(where: { $0.position == error.position }),
            !word.isQuoted, word.source.hasPrefix("@"), word.source.count > 1
        else { return error }
        let others = statement.words.filter { $0 != word }.map(\.source).joined(separator: " ")
        var error = error
        error.hint = "put the client before the command: \(word.source) \(others)"
        return error
    }

    /// Sample values of different kinds. They replace a variable whose value is not known yet.
    private static let sampleValues = ["1", "1s", "k=v", "online", "state", "ios", "out"]

    /// The errors of a statement whose variables have no values yet. A whole script is checked in this way before it
    /// runs.
    package static func check(_ statement: Statement) -> [Diagnostic] { check(statement) { _ in } }

    /// - Parameter onValid: receives the command if the statement is valid and contains no variables.
    static func check(_ statement: Statement, onValid: (ParsedCommand) -> Void) -> [Diagnostic] {
        let names = statement.variables.map(\.name)
        let variablePositions = statement.words.filter { !$0.variableNames.isEmpty }.map(\.position)
        var found: Diagnostic?
        // The statement is valid if it is valid for one sample value. An invalid value of a variable is only an error
        // when the line runs.
        for sample in names.isEmpty ? [""] : sampleValues {
            let values = Dictionary(names.map { ($0, sample) }, uniquingKeysWith: { first, _ in first })
            do throws(Diagnostic) {
                let command = try parse(statement, variables: values)
                if names.isEmpty { onValid(command) }
                return []
            } catch {
                if found == nil, !variablePositions.contains(error.position) { found = error }
            }
        }
        return found.map { [$0] } ?? []
    }

    private static func command(_ statement: Statement, _ texts: [String]) throws(Diagnostic) -> any ShellCommand {
        let (type, count) = try commandType(statement, texts)
        let locator = WordLocator(statement: statement, texts: texts, nameCount: count)
        if statement.words[count...].contains(where: { ["--help", "-h"].contains($0.source) }) {
            return try help(for: Array(texts[..<count]), locator)
        }
        if let client = statement.client, !type.takesClient {
            throw Diagnostic(
                "'\(locator.name)' does not take a client", at: statement.position, length: client.count + 1,
                hint: "omit '@\(client)'")
        }
        let arguments = zip(statement.words, texts).dropFirst(count).map { word, text in
            word.mayBeOption ? text : DashMark.added(to: text)
        }
        try rejectBuiltInOptions(arguments, locator)
        let parsed: any ParsableCommand
        do {
            parsed = try WordList.parse(arguments, as: type)
        } catch {
            throw locator.misplacedOption ?? locator.diagnostic(type.message(for: error))
        }
        guard var command = parsed as? any ShellCommand else {
            throw Diagnostic("'\(locator.name)' is not a command", at: statement.position)
        }
        do throws(WordError) {
            try command.resolve()
        } catch {
            throw locator.diagnostic(error)
        }
        return command
    }

    /// Converts `login --help` to `help login`.
    private static func help(for path: [String], _ locator: WordLocator) throws(Diagnostic) -> any ShellCommand {
        do {
            return try HelpCommand.parse(path)
        } catch {
            throw locator.diagnostic(HelpCommand.message(for: error))
        }
    }

    /// Finds the type of the command that the first words name, and the number of these words.
    private static func commandType(
        _ statement: Statement, _ texts: [String]
    ) throws(Diagnostic) -> (any ShellCommand.Type, Int) {
        var type: any ParsableCommand.Type = ShellRoot.self
        var count = 0
        while !type.configuration.subcommands.isEmpty {
            let subcommands = type.configuration.subcommands
            if count < texts.count, let next = subcommands.first(where: { named($0, texts[count]) }) {
                type = next
                count += 1
            } else if let fallback = type.configuration.defaultSubcommand, isDefault(statement, count) {
                type = fallback
            } else if isHelp(statement, count) {
                return (HelpRequest.self, count)
            } else {
                throw unknown(statement, texts, at: count, among: subcommands)
            }
        }
        guard let type = type as? any ShellCommand.Type else {
            throw Diagnostic("'\(texts[0])' is not a command", at: statement.position)
        }
        return (type, count)
    }

    private static func named(_ type: any ParsableCommand.Type, _ word: String) -> Bool {
        type.configuration.commandName == word || type.configuration.aliases.contains(word)
    }

    /// True if the default subcommand is meant: no word follows the command's name, or the next word is an option.
    private static func isDefault(_ statement: Statement, _ count: Int) -> Bool {
        count >= statement.words.count || statement.words[count].mayBeOption
    }

    private static func isHelp(_ statement: Statement, _ count: Int) -> Bool {
        count > 0 && count < statement.words.count && ["--help", "-h"].contains(statement.words[count].source)
    }

    private static func unknown(
        _ statement: Statement, _ texts: [String], at count: Int, among types: [any ParsableCommand.Type]
    ) -> Diagnostic {
        let names = types.compactMap { $0.configuration.commandName }
        guard count < texts.count else {
            return Diagnostic(
                "'\(texts.joined(separator: " "))' needs one of: \(names.joined(separator: ", "))", at: statement.end)
        }
        let word = statement.words[count]
        let text = texts[count]
        guard count > 0 else {
            if text.hasPrefix("@"), let client = statement.client {
                let rest = texts.dropFirst().joined(separator: " ")
                return Diagnostic(
                    "a line can have only one client", at: word.position, length: word.source.count,
                    hint: "write two lines: '@\(client) \(rest)' and '\(text) \(rest)'")
            }
            return Diagnostic(
                "unknown command '\(text)'", at: word.position, length: word.source.count,
                hint: Suggestion.commandHint(for: text, next: texts.dropFirst().first, in: .shell))
        }
        return Diagnostic(
            "'\(texts[..<count].joined(separator: " "))' has no '\(text)'", at: word.position,
            length: word.source.count,
            hint: subcommandHint(for: text, after: Array(texts[..<count]), among: names))
    }

    /// The hint for an unknown subcommand such as `sessions verify` or `net off`.
    private static func subcommandHint(for text: String, after path: [String], among names: [String]) -> String? {
        if path == ["sessions"], TerminalCommand.names.contains(text) {
            return "that is a terminal command: 'quit', then 'imrepl \(text) last'"
        }
        return Suggestion.hint(for: text, after: path, among: names)
    }

    /// Rejects options that ArgumentParser would handle itself, because they make sense only for a program and not for
    /// a line of the shell.
    private static func rejectBuiltInOptions(_ arguments: [String], _ locator: WordLocator) throws(Diagnostic) {
        for (index, argument) in arguments.enumerated()
        where ["--generate-completion-script", "--experimental-dump-help", "--help-hidden", "---"].contains(
            where: argument.hasPrefix)
        {
            throw locator.diagnostic(WordError(index, "unknown option '\(argument)'"))
        }
    }

    /// The result for a line such as `client --help`, whose words name no runnable command.
    private struct HelpRequest: ShellCommand {
        static let takesClient = true

        var nature: CommandNature { .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws {}
    }
}

/// Finds the position of the word that an error refers to.
private struct WordLocator {
    let statement: Statement
    let texts: [String]
    /// The number of words that name the command.
    let nameCount: Int

    var name: String { texts[..<nameCount].joined(separator: " ") }

    /// The hint with the command's syntax and a valid example.
    private var usage: String? {
        guard let command = CommandTable.shell.resolve(texts)?.command else { return nil }
        let example = command.examples.first { $0.split(separator: " ").count > nameCount }
        return "usage: \(command.usage)" + (example.map { "\nfor example: \($0)" } ?? "")
    }

    /// The error for a word such as `history=1000` in place of `--history 1000`; nil if there is no such word.
    var misplacedOption: Diagnostic? {
        let options = CommandTable.shell.resolve(texts)?.command.options ?? []
        for (word, text) in zip(statement.words, texts).dropFirst(nameCount) where !word.isQuoted {
            guard let pair = KeyValue(text), options.contains(where: { $0.names.contains("--\(pair.key)") }) else {
                continue
            }
            return Diagnostic(
                "'\(text)' is not an option", at: word.position, length: word.source.count,
                hint: "did you mean '--\(pair.key) \(pair.value)'?")
        }
        return nil
    }

    func diagnostic(_ error: WordError) -> Diagnostic {
        let index = nameCount + error.index
        guard statement.words.indices.contains(index) else {
            return Diagnostic(error.message, at: statement.end, hint: error.hint ?? usage)
        }
        let word = statement.words[index]
        // `error.part` is a range in the expanded word. If the word contains a variable, that range does not exist in
        // the line.
        guard let part = error.part, word.variableNames.isEmpty else {
            return Diagnostic(error.message, at: word.position, length: word.source.count, hint: error.hint)
        }
        var position = word.position
        position.column += part.lowerBound
        position.byteOffset += word.source.prefix(part.lowerBound).utf8.count
        return Diagnostic(error.message, at: position, length: part.count, hint: error.hint)
    }

    /// Converts an error message of ArgumentParser to a diagnostic. Its position is the first word of the line that the
    /// message quotes, or the end of the line if an argument is missing.
    func diagnostic(_ message: String) -> Diagnostic {
        var text = DashMark.removed(fromMessage: message)
        var hint = usage
        if let range = text.firstRange(of: ". Did you mean '") {
            hint = "did you mean '" + text[range.upperBound...]
            text = String(text[..<range.lowerBound])
        }
        hint = ValueHint.hint(for: text) ?? hint
        var lines = text.split(separator: "\n").map(String.init)[...]
        var line = lines.popFirst() ?? "the line cannot be parsed"
        if let range = line.firstRange(of: ". Please provide one of the following:") {
            line = String(line[..<range.lowerBound])
            hint = choice(lines.map { String($0.trimmingPrefix("  - ")) }, insteadOf: line)
        }
        if line.contains("'<probability>'") { hint = "a probability is from 0 to 1, or from 0% to 100%: net loss 20%" }
        let shown = line.prefix(1).lowercased() + line.dropFirst()
        guard !line.hasPrefix("Missing"), let index = wordIndex(quotedIn: line) else {
            let position = line.hasPrefix("Missing") ? statement.end : statement.words[0].position
            return Diagnostic(String(shown), at: position, hint: hint)
        }
        let word = statement.words[index]
        return Diagnostic(String(shown), at: word.position, length: word.source.count, hint: hint)
    }

    /// The hint with the valid value nearest to the word, or with all valid values.
    private func choice(_ values: [String], insteadOf line: String) -> String {
        let all = "one of: \(values.joined(separator: ", "))"
        guard let index = wordIndex(quotedIn: line) else { return all }
        return Suggestion.nearestHint(for: texts[index], after: Array(texts[..<nameCount]), among: values) ?? all
    }

    private func wordIndex(quotedIn line: String) -> Int? {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        for part in stride(from: 1, to: parts.count, by: 2).map({ String(parts[$0]) }) {
            let found = texts.indices.dropFirst(nameCount).first { index in
                texts[index] == part || texts[index].hasPrefix(part + "=")
                    || (!part.isEmpty && texts[index].hasSuffix("=" + part))
            }
            if let found { return found }
        }
        return nil
    }
}
