import IMDebugger
import IMShell
import IMText
import LineEditing

/// One command of the replay prompt: its name, its help, and its action.
struct ReplayCommand: Sendable {
    /// The heading of the command in the list of `help`.
    enum Group: String, CaseIterable, Sendable {
        case moving, stopping, looking, changing, prompt
    }

    /// The kind of an argument, for completion.
    enum Argument: Sendable {
        case position
        case node
        case path
        case filter
        case kind
        case command
        case words([String])
        case none
    }

    var name: String
    var group: Group
    /// The arguments: `[N]`, `EXPR [--count N]`; empty for none.
    var usage = ""
    /// A description in one line.
    var summary: String
    /// Further notes; empty for none.
    var notes = ""
    var examples: [String] = []
    /// The kinds of the arguments, in order. The last kind is also that of all further arguments.
    var arguments: [Argument] = []
    /// The options, for completion and for the check.
    var options: [String] = []
    /// True if an empty line repeats the command.
    var isStepping: Bool { ["step", "rstep", "next", "rnext", "continue", "rcontinue"].contains(name) }
    /// Checks the arguments of a line before the first line runs. The options have been checked before.
    var check: @Sendable (ReplayLine) throws -> Void = { _ in }
    /// Runs the command.
    ///
    /// - Throws: ``CommandFailure`` or ``DebuggerError`` with one line for the user; ``SessionError`` if the recording
    ///   is damaged.
    var run: @Sendable (ReplaySession, ReplayLine) throws -> Void
}

/// A line of the replay prompt, split into words.
struct ReplayLine: Sendable {
    /// The words after the command's name, options included, without quotes.
    var words: [String]
    /// The text after the command's name as it was typed, quotes included, for parsing a filter.
    var text: String

    /// The words that are no options. A word that starts with one dash and a digit is a number.
    var arguments: [String] { words.filter { !$0.hasPrefix("--") } }

    func has(_ option: String) -> Bool { words.contains(option) }
}

extension ReplayLine {
    init(_ statement: Statement) {
        words = statement.words.dropFirst().map { $0.literal ?? $0.source }
        text = statement.words.dropFirst().map(\.source).joined(separator: " ")
    }
}

/// All commands of the replay prompt, in the order of `help`. This list is the only registration of a command.
enum ReplayCommands {
    static let all: [ReplayCommand] =
        moving + stopping + looking + states + frames + explaining + ForkCommands.all + prompt

    static func named(_ name: String) -> ReplayCommand? {
        let full = shorthands[name] ?? name
        return all.first { $0.name == full }
    }

    /// Short names, and names from other debuggers, with the commands that they mean.
    static let shorthands: [String: String] = [
        "s": "step", "n": "next", "c": "continue", "rs": "rstep", "rn": "rnext", "rc": "rcontinue", "p": "print",
        "b": "break", "l": "list", "bt": "why", "q": "quit", "exit": "quit", "?": "help", "reverse-step": "rstep",
        "reverse-next": "rnext", "reverse-continue": "rcontinue", "display": "print", "seek": "goto", "jump": "goto",
    ]

    /// The hint for an unknown command.
    private static func hint(for word: String) -> String {
        if (try? ReplayPosition(word)) != nil { return "did you mean 'goto \(word)'?" }
        if let near = Suggestion.nearest(to: word, among: all.map(\.name)) { return "did you mean '\(near)'?" }
        if CommandTable.shell.command(word.lowercased()) != nil {
            return "a recording takes no client commands; 'fork' continues from here interactively"
        }
        return "'help' lists the commands of the replay prompt"
    }

    /// All errors of a statement, found before anything runs.
    static func check(_ statement: Statement) -> [Diagnostic] {
        guard let word = statement.words.first, let name = word.literal else { return [] }
        if let client = statement.client {
            return [
                Diagnostic(
                    "a recording takes no client commands", at: statement.position, length: client.count + 1,
                    hint: "'state \(client)' shows the state of \(client); 'help' lists the commands")
            ]
        }
        guard let command = named(name) else {
            return [
                Diagnostic(
                    "unknown command '\(name)'", at: word.position, length: word.source.count, hint: hint(for: name))
            ]
        }
        for word in statement.words.dropFirst() where word.source.hasPrefix("--") {
            guard !command.options.contains(word.source) else { continue }
            let hint = Suggestion.hint(for: word.source, among: command.options)
            return [
                Diagnostic(
                    "'\(command.name)' has no option '\(word.source)'", at: word.position, length: word.source.count,
                    hint: hint ?? "usage: \(command.usageLine)")
            ]
        }
        if let comment = statement.numberTakenForComment {
            return [
                Diagnostic(
                    "'\(comment)' begins a comment", at: statement.end, length: comment.count + 1,
                    hint: "write the number without its sign: \(comment.dropFirst())")
            ]
        }
        do {
            let line = ReplayLine(statement)
            guard !command.usage.isEmpty || line.words.isEmpty else {
                throw CommandFailure("this command takes no arguments")
            }
            try command.check(line)
            return []
        } catch let error as FilterError {
            // The filter starts at the first word after the command.
            var position = statement.words.dropFirst().first?.position ?? statement.end
            position.column += error.offset
            return [Diagnostic(error.message, at: position, length: error.length, hint: error.hint)]
        } catch {
            let first = statement.words.dropFirst().first
            return [
                Diagnostic(
                    "\(error)", at: first?.position ?? statement.end, length: first?.source.count ?? 1,
                    hint: "usage: \(command.usageLine)")
            ]
        }
    }
}

extension ReplayCommand {
    var usageLine: String { usage.isEmpty ? name : "\(name) \(usage)" }
}

extension Statement {
    /// The comment after the words if it is `#` and a number, such as `#79`; nil for any other comment. Events are
    /// shown in this form, so the user probably means the event.
    fileprivate var numberTakenForComment: String? {
        var rest = source[...]
        for word in words {
            guard let range = rest.firstRange(of: word.source) else { return nil }
            rest = rest[range.upperBound...]
        }
        guard let comment = rest.split(whereSeparator: \.isWhitespace).first, comment.hasPrefix("#") else { return nil }
        return UInt64(comment.dropFirst()) == nil ? nil : String(comment)
    }
}
