import ArgumentParser
import IMDebugger

/// A command of the shell. The declaration gives its help, its errors and its completion.
protocol ShellCommand: ParsableCommand {
    /// True if it is about a client, so that `@client` can stand before it.
    static var takesClient: Bool { get }

    /// Its effect on the world, with its arguments.
    var nature: CommandNature { get }

    /// Checks conditions that the declaration cannot express; an error can refer to a word. Called once, right after
    /// parsing, and for every line of a script before any of it runs.
    mutating func resolve() throws(WordError)

    /// Runs the command.
    /// - Parameter client: the name after `@`, if the line had one.
    mutating func execute(in shell: any ShellContext, client: String?) throws
}

extension ShellCommand {
    static var takesClient: Bool { false }

    var nature: CommandNature { .acts }

    mutating func resolve() throws(WordError) {}
}

/// The effect of a command on the world. Prompts use it to decide whether time passes after a command, whether earlier
/// commands have to end first, and whether its answer goes through a pager.
package enum CommandNature: Sendable {
    /// The command acts on the world.
    case acts
    /// The command queries the server, so the answer takes time.
    case queriesServer
    /// The command queries the state of the world, without an effect.
    case queriesState
    /// The command prints data of the shell or of a recording.
    case answers
    /// A command about the shell itself, such as a wait or printing.
    case own

    /// True if its effects need time to pass.
    package var needsTime: Bool { self == .acts || self == .queriesServer }
    /// True if it queries the state of the world.
    package var queriesWorld: Bool { self == .queriesState || self == .queriesServer }
    /// True if its answer may be long.
    package var hasAnswer: Bool { queriesWorld || self == .answers }
}

/// Builds the `discussion` of a declaration: example lines first. `HelpText` splits it again, and a test runs every
/// example.
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

/// A command that ends with any number of words.
protocol WordListCommand: ShellCommand {
    associatedtype ListedWord: WordArgument

    /// The words.
    static var wordList: WritableKeyPath<Self, [ListedWord]> { get }
}

/// The words at the end of a long line. The library copies its state for each word, so a line of thousands of words
/// would take it seconds: it parses the start, and the rest is appended here.
enum WordList {
    /// The library always parses at least this number of arguments.
    private static let parsedMin = 32

    /// The number of arguments that the library has to parse: those with a dash, the value after the last of them, and
    /// a few more.
    static func parsedCount(of arguments: [String], for type: any ShellCommand.Type) -> Int {
        guard arguments.count > parsedMin, type is any WordListCommand.Type else { return arguments.count }
        let options = arguments.lastIndex { $0.hasPrefix("-") }.map { $0 + 2 } ?? 0
        return min(arguments.count, max(parsedMin, options))
    }

    /// Parses all of them.
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
                // Produces the library's own error.
                return try Command.parseAsRoot(arguments[..<start] + [argument])
            }
            command[keyPath: Command.wordList].append(word)
        }
        try command.validate()
        return command
    }
}
