import ArgumentParser
import IMScript

/// A command of the shell. The declaration gives its help, its errors and its completion.
protocol ShellCommand: ParsableCommand {
    /// Whether it is about a client, so that `@client` can stand before it.
    static var takesClient: Bool { get }

    /// What it does to the world, with its arguments.
    var nature: CommandNature { get }

    /// Checks what the declaration cannot say, and can point at a word in doing so. Called once, right after parsing
    /// and for every line of a script before any of it runs.
    mutating func resolve() throws(WordError)

    /// Does it.
    /// - Parameter client: the name behind `@`, if the line had one.
    mutating func execute(in shell: any ShellContext, client: String?) throws
}

extension ShellCommand {
    static var takesClient: Bool { false }

    var nature: CommandNature { .acts }

    mutating func resolve() throws(WordError) {}
}

/// What a command does to the world. Prompts go by it: whether time passes behind a command, whether what was begun
/// before has to end first, whether its answer may be read page by page.
package enum CommandNature: Sendable {
    /// Something happens.
    case acts
    /// The server is asked, so that the answer takes time.
    case asksServer
    /// It says how things stand; nothing happens.
    case asks
    /// It says what the shell knows, or what a recording holds.
    case answers
    /// The shell's own, such as what it waits for and what it prints.
    case own

    /// Whether something comes of it only when time passes.
    package var needsTime: Bool { self == .acts || self == .asksServer }
    /// Whether it is asked how things stand in the world.
    package var asksWorld: Bool { self == .asks || self == .asksServer }
    /// Whether its answer may be long.
    package var hasAnswer: Bool { asksWorld || self == .answers }
}

/// Builds the `discussion` of a declaration: example lines first. `HelpText` takes it apart again, and a test types
/// every example.
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
