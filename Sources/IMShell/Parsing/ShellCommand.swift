import ArgumentParser
import IMDebugger

/// A command of the shell. Help, error messages and completion are derived from its declaration.
protocol ShellCommand: ParsableCommand {
    /// True if the command applies to a client, so that `@client` is allowed before it.
    static var takesClient: Bool { get }

    /// The kind of effect that the command has on the world. It may depend on the arguments.
    var nature: CommandNature { get }

    /// Checks conditions that the declaration cannot express. An error can refer to a single word. The parser calls
    /// this method after it parsed a line. All lines of a script are parsed before the first one runs.
    mutating func resolve() throws(WordError)

    /// Runs the command.
    /// - Parameter client: the name after `@`; nil if the line has none.
    mutating func execute(in shell: any ShellContext, client: String?) throws
}

extension ShellCommand {
    static var takesClient: Bool { false }

    var nature: CommandNature { .acts }

    mutating func resolve() throws(WordError) {}
}

/// The kind of effect that a command has on the world. It decides whether time passes after the command, whether the
/// command waits for earlier commands, and whether a pager shows its answer.
package enum CommandNature: Sendable {
    /// The command acts on the world.
    case acts
    /// The command queries the server, so the answer takes time.
    case queriesServer
    /// The command prints the state of the world and changes nothing.
    case queriesState
    /// The command prints data of the shell or of a recording.
    case answers
    /// The command controls the shell itself or lets time pass, such as `set`, `echo` or `wait`.
    case controlsShell

    /// True if time must pass until the command has an effect.
    package var needsTime: Bool { self == .acts || self == .queriesServer }
    /// True if the command queries the world.
    package var queriesWorld: Bool { self == .queriesState || self == .queriesServer }
    /// True if the command prints an answer, which may be long.
    package var hasAnswer: Bool { queriesWorld || self == .answers }
}

/// The `discussion` of a declaration: example lines, then notes. `split` separates both again for `HelpText`. A test
/// runs every example.
enum Discussion {
    static let heading = "EXAMPLES:\n"

    static func examples(_ lines: String..., notes: String = "") -> String {
        heading + lines.joined(separator: "\n") + (notes.isEmpty ? "" : "\n\n" + notes)
    }

    static func split(_ discussion: String) -> (examples: [String], notes: String) {
        guard discussion.hasPrefix(heading) else { return ([], discussion) }
        var examples: [String] = []
        var rest = discussion.dropFirst(heading.count).split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = rest.first, !line.isEmpty {
            examples.append(String(line))
            rest = rest.dropFirst()
        }
        return (examples, rest.dropFirst().joined(separator: "\n"))
    }
}

/// A command whose last argument is a list of any number of words.
protocol WordListCommand: ShellCommand {
    associatedtype ListedWord: WordArgument

    /// The property with the list of words.
    static var wordList: WritableKeyPath<Self, [ListedWord]> { get }
}

/// Parses long lines quickly. ArgumentParser copies its state for each word, so a line of thousands of words would take
/// seconds. For this reason, `WordList` passes only the start of a long line to ArgumentParser. It appends the other
/// words to the command's list itself.
enum WordList {
    /// The minimum number of arguments that ArgumentParser parses.
    private static let parsedMin = 32

    /// The number of arguments that ArgumentParser has to parse: up to the last option and its value, and at least
    /// `parsedMin`.
    static func parsedCount(of arguments: [String], for type: any ShellCommand.Type) -> Int {
        guard arguments.count > parsedMin, type is any WordListCommand.Type else { return arguments.count }
        let options = arguments.lastIndex { $0.hasPrefix("-") }.map { $0 + 2 } ?? 0
        return min(arguments.count, max(parsedMin, options))
    }

    /// Parses all arguments of a command.
    static func parse(_ arguments: [String], as type: any ShellCommand.Type) throws -> any ParsableCommand {
        let count = parsedCount(of: arguments, for: type)
        let parsed = try type.parseAsRoot(Array(arguments[..<count]))
        guard count < arguments.count, let command = parsed as? any WordListCommand else { return parsed }
        return try append(arguments, from: count, to: command)
    }

    private static func append<Command: WordListCommand>(
        _ arguments: [String], from start: Int, to command: Command
    ) throws -> any ParsableCommand {
        var command = command
        for argument in arguments[start...] {
            guard let word = Command.ListedWord(argument: argument) else {
                // Parsing the invalid word with ArgumentParser throws the usual error message.
                return try Command.parseAsRoot(arguments[..<start] + [argument])
            }
            command[keyPath: Command.wordList].append(word)
        }
        try command.validate()
        return command
    }
}
