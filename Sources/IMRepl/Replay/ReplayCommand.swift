import IMDebugger
import IMShell
import IMText
import LineEditing

/// One command of the replay prompt: what it is called, what `help` says of it, and what it does.
struct ReplayCommand: Sendable {
    /// Under which heading `help` lists it.
    enum Group: String, CaseIterable, Sendable {
        case moving, stopping, looking, changing, prompt
    }

    /// What can stand where an argument is completed.
    enum Argument: Sendable {
        case place
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
    /// What it does, in one line.
    var summary: String
    /// What else there is to know; empty for nothing.
    var notes = ""
    var examples: [String] = []
    /// What its arguments are, in order; the last one repeats.
    var arguments: [Argument] = []
    /// Its options, for completion and for the check.
    var options: [String] = []
    /// Whether an empty line repeats it.
    var isStepping: Bool { ["step", "rstep", "next", "rnext", "continue", "rcontinue"].contains(name) }
    /// What is wrong with a line before anything runs; the options have been looked at by then.
    var check: @Sendable (ReplayLine) throws -> Void = { _ in }
    /// Does it.
    ///
    /// - Throws: ``CommandFailure`` or ``DebuggerError`` with one line for the person; ``SessionError`` when the recording is damaged.
    var run: @Sendable (ReplaySession, ReplayLine) throws -> Void
}

/// A line of the replay prompt, taken apart.
struct ReplayLine: Sendable {
    /// The words behind the command's name, options included, without quotes.
    var words: [String]
    /// What stands behind the command's name as it was typed, quotes included: what a filter is read from.
    var text: String

    init(words: [String], text: String) {
        self.words = words
        self.text = text
    }

    init(_ statement: Statement) {
        words = statement.words.dropFirst().map { $0.literal ?? $0.source }
        text = statement.words.dropFirst().map(\.source).joined(separator: " ")
    }

    /// The words that are no option. A word that begins with one dash and a digit is a number.
    var arguments: [String] { words.filter { !$0.hasPrefix("--") } }

    func has(_ option: String) -> Bool { words.contains(option) }
}

/// All commands of the replay prompt, in the order in which `help` lists them. A command registers by standing here:
/// nothing else knows the list.
enum ReplayCommands {
    static let all: [ReplayCommand] = moving + stopping + looking + states + frames + asking + changing + prompt

    static func named(_ name: String) -> ReplayCommand? {
        let full = shorthands[name] ?? name
        return all.first { $0.name == full }
    }

    /// What those who know other debuggers type.
    static let shorthands: [String: String] = [
        "s": "step", "n": "next", "c": "continue", "rs": "rstep", "rn": "rnext", "rc": "rcontinue", "p": "print",
        "b": "break", "l": "list", "bt": "why", "q": "quit", "exit": "quit", "?": "help", "reverse-step": "rstep",
        "reverse-next": "rnext", "reverse-continue": "rcontinue", "display": "print", "seek": "goto", "jump": "goto",
    ]

    /// What to type instead of an unknown word.
    private static func hint(for word: String) -> String {
        if (try? ReplayPosition(word)) != nil { return "did you mean 'goto \(word)'?" }
        if let near = Suggestion.nearest(to: word, among: all.map(\.name)) { return "did you mean '\(near)'?" }
        if CommandTable.shell.command(word.lowercased()) != nil {
            return "a recording has nobody to command; 'fork' goes on from here by hand"
        }
        return "'help' lists the commands of the replay prompt"
    }

    /// Everything that is wrong with a statement, found before anything runs.
    static func check(_ statement: Statement) -> [Diagnostic] {
        guard let word = statement.words.first, let name = word.literal else { return [] }
        if let client = statement.client {
            return [
                Diagnostic(
                    "a recording has nobody to command", at: statement.position, length: client.count + 1,
                    hint: "'state \(client)' shows what \(client) was like; 'help' lists the commands")
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
            if command.usage.isEmpty { try line.takesNothing() }
            try command.check(line)
            return []
        } catch let error as FilterError {
            // The filter begins where the first word behind the command does.
            var place = statement.words.dropFirst().first?.position ?? statement.end
            place.column += error.offset
            return [Diagnostic(error.message, at: place, length: error.length, hint: error.hint)]
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
    /// A comment such as `#79` behind the words: the events are shown like that, so whoever writes it means the event.
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
