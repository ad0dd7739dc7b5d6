import IMDebugger
import IMText

/// The names and values that exist in the current world, from which arguments are completed. The commands are in the
/// ``CommandTable``.
package struct CompletionContext: Sendable {
    package var clients: [String] = []
    package var users: [String] = []
    package var devices: [String] = []
    package var channels: [String] = []
    /// The names of variables, without the dollar sign.
    package var variables: [String] = []
    package var profiles: [String] = []
    package var states: [String] = StateName.allNames
    /// The frame types, for `expect frame` and `net drop`.
    package var frames: [String] = []
    /// The names of the current profile's callbacks.
    package var callbacks: [String] = []
    /// The fields of each callback, with the possible values of each field.
    package var callbackFields: [String: [(name: String, values: [String])]] = [:]
    /// The paths of commands that the current profile's SDK does not support. They would fail, so they are not offered.
    package var absentCommands: Set<[String]> = []
    /// The keys of the command `set`.
    package var settings: [String] = []
    /// The keys of the command `option`.
    package var options: [String] = []
    /// The keys of `server policy`.
    package var policies: [String] = []
    /// The keys of `client policy`.
    package var clientPolicies: [String] = []
    /// The possible values of a key of `set`, `option`, `server policy` or `client policy`, if they can be listed.
    package var choices: [String: [String]] = [:]
    /// Returns the paths that begin with a prefix. The path of a folder ends with `/`.
    package var files: @Sendable (_ prefix: String) -> [String] = { _ in [] }

    package init() {}
}

/// Completes a line from the command table and the context. It is a pure function: the same line, table and context
/// always give the same candidates.
package struct CompletionEngine: Sendable {
    package let table: CommandTable

    package init(table: CommandTable) {
        self.table = table
    }

    /// - Parameter cursor: the position in UTF-8 bytes from the line's start. A position after the line's end counts as
    ///   the end.
    package func complete(_ line: String, cursor: Int, context: CompletionContext) -> LineCompletion {
        let partial = PartialLine(line, cursor: cursor)
        if partial.isComment { return LineCompletion(replaceFrom: partial.currentStart, candidates: []) }
        if let start = partial.variableStart, !isCaptureTarget(partial) {
            let opening = partial.current.hasSuffix("{" + partial.variablePrefix) ? "${" : "$"
            let closing = opening == "${" ? "}" : ""
            let names = context.variables.sorted().filter { $0.hasPrefix(partial.variablePrefix) }
            return LineCompletion(
                replaceFrom: start, candidates: names.map { .init(opening + $0 + closing, help: "variable") })
        }
        if partial.words.isEmpty { return commands(for: partial, context: context) }
        return arguments(for: partial, context: context)
    }

    private func isCaptureTarget(_ partial: PartialLine) -> Bool {
        partial.words.first?.hasPrefix("expect") == true
            && (partial.words.last == "as" || partial.current.contains("=>$"))
    }

    private func commands(for partial: PartialLine, context: CompletionContext) -> LineCompletion {
        if partial.current.hasPrefix("@"), partial.client == nil {
            let clients = context.clients.sorted().map { LineCompletion.Candidate("@" + $0, help: "client") }
            return finish(partial, clients)
        }
        let commands = table.commands.sorted { $0.name < $1.name }
            .filter { partial.client == nil || $0.takesClient }
            .filter { !context.absentCommands.contains($0.path) }
            .map { LineCompletion.Candidate($0.name, help: $0.abstract) }
        return finish(partial, commands)
    }

    private func arguments(for partial: PartialLine, context: CompletionContext) -> LineCompletion {
        guard var (command, count) = table.resolve(partial.words) else { return finish(partial, []) }
        if !command.subcommands.isEmpty {
            let rest = partial.words.count - count
            guard let name = command.defaultSubcommand, let fallback = command.subcommand(name) else {
                return finish(partial, rest == 0 ? subcommands(of: command) : [])
            }
            if rest == 0, !partial.current.hasPrefix("-") { return finish(partial, subcommands(of: command)) }
            command = fallback
            count = min(count, partial.words.count)
        }
        let values = ValueCompletion(context: context, table: table)
        return complete(partial, Array(partial.words.dropFirst(count)), of: command, values: values)
    }

    private func subcommands(of command: CommandInfo) -> [LineCompletion.Candidate] {
        command.subcommands.map { .init($0.name, help: $0.abstract) }
    }

    private func complete(
        _ partial: PartialLine, _ words: [String], of command: CommandInfo, values: ValueCompletion
    ) -> LineCompletion {
        var positionals: [String] = []
        var used: Set<String> = []
        var pending: ArgumentInfo?
        for word in words {
            if pending != nil {
                pending = nil
            } else if word.hasPrefix("-"), let option = option(word, of: command) {
                used.formUnion(option.names)
                if !option.isFlag, !word.contains("=") { pending = option }
            } else {
                positionals.append(word)
            }
        }
        if let pending { return finish(partial, values.candidates(for: pending, partial: partial.current)) }
        let isNumber = partial.current.dropFirst().first?.isNumber == true
        if partial.current.hasPrefix("-"), !isNumber, !partial.isCurrentQuoted {
            return completeOption(partial, of: command, used: used, values: values)
        }
        let index = min(positionals.count, command.positionals.count - 1)
        if index >= 0, positionals.count < command.positionals.count || command.positionals[index].isRepeating {
            let argument = command.positionals[index]
            if argument.kind == .pattern, let found = values.event(partial, after: positionals, of: command) {
                return found
            }
            let found =
                switch argument.kind {
                case .pattern:
                    values.pattern(
                        after: positionals, isNegative: command.name == "expect-none", partial: partial.current)
                case .detail: values.detail(after: positionals)
                case .callArgument: values.callArguments(after: positionals, partial: partial.current)
                case .filter:
                    values.filter(
                        after: positionals, partial: partial.current, isQuoted: partial.isCurrentQuoted)
                case .command: values.command(after: positionals, partial: partial.current)
                default: values.candidates(for: argument, partial: partial.current)
                }
            let completion = finish(partial, found)
            if !completion.candidates.isEmpty || !partial.current.isEmpty || argument.kind == .pattern {
                return completion
            }
            // If a mandatory argument has no candidates, its name is listed, so that the user does not type an option
            // first.
            if !argument.isOptional, positionals.count < command.positionals.count {
                return LineCompletion(
                    replaceFrom: partial.currentStart,
                    candidates: [.init("", display: argument.usage, help: argument.help, isComplete: false)])
            }
        }
        guard partial.current.isEmpty else { return finish(partial, []) }
        return finish(partial, options(of: command, used: used))
    }

    private func option(_ word: String, of command: CommandInfo) -> ArgumentInfo? {
        let name = String(word.prefix { $0 != "=" })
        return command.options.first { $0.names.contains(name) }
    }

    private func options(of command: CommandInfo, used: Set<String>) -> [LineCompletion.Candidate] {
        command.options
            .filter { $0.isRepeating || used.isDisjoint(with: $0.names) }
            .map { .init($0.names[0], help: $0.help) }
    }

    private func completeOption(
        _ partial: PartialLine, of command: CommandInfo, used: Set<String>, values: ValueCompletion
    ) -> LineCompletion {
        if let equals = partial.current.firstIndex(of: "="), let option = option(partial.current, of: command) {
            let value = String(partial.current[partial.current.index(after: equals)...])
            let name = partial.current[...equals]
            let found = values.candidates(for: option, partial: value).map { candidate in
                var candidate = candidate
                candidate.text = name + candidate.text
                return candidate
            }
            return finish(partial, found)
        }
        return finish(
            partial, options(of: command, used: used) + [.init("--help", help: "its description and its arguments")])
    }

    /// The candidates that begin with the word at the cursor, in quotes where the lexer requires them.
    private func finish(_ partial: PartialLine, _ candidates: [LineCompletion.Candidate]) -> LineCompletion {
        let matching = candidates.filter { $0.text.hasPrefix(partial.current) }.map { candidate in
            var candidate = candidate
            if partial.openQuote == .single, !candidate.text.contains("'") {
                candidate.text = "'\(candidate.text)" + (candidate.isComplete ? "'" : "")
            } else if partial.isCurrentQuoted || candidate.needsQuotes {
                let quoted = candidate.text.quoted
                candidate.text = candidate.isComplete ? quoted : String(quoted.dropLast())
            }
            return candidate
        }
        return LineCompletion(replaceFrom: partial.currentStart, candidates: matching)
    }
}

extension LineCompletion.Candidate {
    /// True if the lexer would not read the text unchanged without quotes. The dollar sign of a capture's variable must
    /// not be quoted. `@` needs no quotes, because it has a meaning only before the first word.
    fileprivate var needsQuotes: Bool {
        !text.hasPrefix("$") && !text.hasPrefix("@") && text.quotedIfNeeded != text
    }
}
