import IMDebugger
import IMText

/// The output of `help`, generated from the command table. Examples are printed first, because most users read only the
/// beginning.
package struct HelpText: Sendable {
    let table: CommandTable
    /// The maximum number of characters in a line.
    let width: Int
    /// The session library. `help` names its sessions as examples.
    let library: LibraryIndex

    package init(table: CommandTable, width: Int = 80, library: LibraryIndex = LibraryIndex()) {
        self.table = table
        self.width = width
        self.library = library
    }

    /// The text of `help` without arguments: an example for beginners, and one line for each command, by group.
    var overview: String {
        var lines = ["A first session: two devices kick each other, then one loses the network."]
        lines += Self.firstSession.map { "  \($0)" }
        lines += ["Then, in the terminal, 'imrepl replay last' steps through the events.", ""]
        for group in table.groups {
            lines.append(group.name.uppercased())
            lines += rows(group.commands.map { ($0.name, $0.abstract) })
            lines.append("")
        }
        lines += [
            "'@NAME COMMAND' runs for that client; '! COMMAND' must fail; '#': a comment;",
            "'A; B' runs two commands at the same moment.",
            "'help COMMAND', 'COMMAND --help' explain a command; 'help @GROUP' lists a group;",
            "'help WORD' explains a code, callback, state, frame, field, policy or term.",
        ]
        lines += rows(Self.topics.map { ("help \($0.word)", $0.abstract) })
        return lines.joined(separator: "\n")
    }

    /// The commands of the example for beginners.
    static let firstSession = [
        "client new phone", "login alice", "client new pad", "login alice", "@phone login alice", "@phone net down",
        "wait 5s", "@phone net up", "quit",
    ]

    /// The help for a command, a subcommand, a `@group` or a topic.
    package func text(for words: [String]) throws(WordError) -> String {
        guard let first = words.first else { return overview }
        if let topic = try topic(first, Array(words.dropFirst())) {
            return topic + (words.count == 1 ? term(first) : "")
        }
        if words.count > 1, let meaning = Glossary.term(words.joined(separator: " ")) {
            return Self.fill(meaning.line, width: width, indent: 0, hanging: 2).joined(separator: "\n")
        }
        if first.hasPrefix("@") { return try group(String(first.dropFirst())) }
        if table.resolve(words) == nil, let meaning = meaning(of: words) { return meaning }
        if let known = RuleCatalogue.ids(like: first) {
            throw WordError(0, "there is no rule '\(first)'", hint: "available: \(known)")
        }
        guard let found = table.resolve(words) else {
            // A word with digits, capitals or '_' is more likely a vendor's code or name than a command.
            let isCommand = !first.contains { $0.isNumber || $0.isUppercase || $0 == "_" }
            throw WordError(
                0, isCommand ? "there is no command '\(first)'" : "unknown word '\(first)'", hint: hint(for: first))
        }
        guard found.wordCount == words.count || found.command.subcommands.isEmpty else {
            let word = words[found.wordCount]
            throw WordError(
                found.wordCount, "'\(found.command.path.joined(separator: " "))' has no '\(word)'",
                hint: Suggestion.hint(
                    for: word, after: found.command.path, among: found.command.subcommands.map(\.name)))
        }
        return text(for: found.command)
    }

    /// The meanings of a word from a log or a screen, such as a code or a callback; nil if the word is unknown.
    package func meaning(of words: [String]) -> String? {
        let entries = Lookup.entries(for: words, library: library)
        return entries.isEmpty ? nil : Lookup.text(entries, width: width)
    }

    private func hint(for word: String) -> String {
        if let topic = Suggestion.nearest(to: word, among: Self.topics.map(\.word)) {
            return "did you mean 'help \(topic)'?"
        }
        if Suggestion.nearest(to: word, among: table.commands.map(\.name)) == nil,
            let known = Suggestion.nearest(to: word, among: Lookup.words)
        {
            return "did you mean 'help \(known)'?"
        }
        return Suggestion.commandHint(for: word, in: table)
    }

    private func group(_ name: String) throws(WordError) -> String {
        guard let group = table.groups.first(where: { $0.name == name }) else {
            throw WordError(
                0, "there is no group '@\(name)'",
                hint: Suggestion.hint(for: name, among: table.groups.map(\.name), prefix: "@"))
        }
        let all = group.commands.flatMap(\.all).filter(\.subcommands.isEmpty)
        return ([group.name.uppercased()] + rows(all.map { ($0.path.joined(separator: " "), $0.abstract) }))
            .joined(separator: "\n")
    }

    func text(for command: CommandInfo) -> String {
        var lines = ["\(command.path.joined(separator: " ")): \(command.abstract)", ""]
        if !command.examples.isEmpty {
            lines += ["EXAMPLES"] + command.examples.map { "  \($0)" } + [""]
        }
        lines += ["USAGE"] + Self.fill(command.usage, width: width, indent: 2, hanging: 6) + [""]
        if !command.subcommands.isEmpty {
            let below = command.all.filter(\.subcommands.isEmpty)
            lines += ["COMMANDS"] + rows(below.map { ($0.path.dropFirst().joined(separator: " "), $0.abstract) }) + [""]
        }
        if !command.positionals.isEmpty {
            lines += ["ARGUMENTS"] + rows(command.positionals.map { ("<\($0.valueName)>", describe($0)) }) + [""]
        }
        if !command.options.isEmpty {
            let options = command.options.map { option in
                (
                    option.names.joined(separator: ", ") + (option.isFlag ? "" : " <\(option.valueName)>"),
                    describe(option)
                )
            }
            lines += ["OPTIONS"] + rows(options) + [""]
        }
        if !command.notes.isEmpty {
            lines += command.notes.split(separator: "\n", omittingEmptySubsequences: false)
                .flatMap { Self.fill(String($0), width: width, indent: 0, hanging: 0) }
        }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + (command.path.count == 1 ? term(command.name) : "")
    }

    /// The glossary's entry for the name of a command or topic; empty if there is none.
    private func term(_ name: String) -> String {
        guard let term = Glossary.term(name) else { return "" }
        return (["", "", "TERM"] + Self.fill(term.line, width: width, indent: 2, hanging: 4)).joined(separator: "\n")
    }

    private func describe(_ argument: ArgumentInfo) -> String {
        argument.values.isEmpty ? argument.help : "\(argument.help) (\(argument.values.joined(separator: ", ")))"
    }

    /// Formats rows in two columns. A long text of the left column gets a line of its own.
    func rows(_ rows: [(left: String, right: String)]) -> [String] {
        let column = min(rows.map(\.left.count).max() ?? 0, 24) + 4
        return rows.flatMap { row -> [String] in
            let right = Self.fill(row.right, width: width, indent: column, hanging: column)
            guard row.left.count + 4 <= column, let first = right.first else {
                return ["  \(row.left)"] + right
            }
            let gap = String(repeating: " ", count: column - 2 - row.left.count)
            return ["  \(row.left)\(gap)\(first.trimmingBlanks())"] + right.dropFirst()
        }
    }

    /// Breaks a text at blanks into lines of at most `width` characters. `indent` is the indentation of the first line,
    /// `hanging` that of the other lines.
    static func fill(_ text: String, width: Int, indent: Int, hanging: Int) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        if !isEmpty || text.isEmpty { lines.append(isEmpty ? "" : line) }
        return lines
    }
}
