/// All commands of the shell as data, for help, completion and the check of secrets. Derived from the command
/// declarations, so that they always agree.
package struct CommandTable: Equatable, Sendable {
    struct Group: Equatable, Sendable {
        /// `client`: the argument of `help @client`.
        var name: String
        var commands: [CommandInfo]
    }

    var groups: [Group]

    var commands: [CommandInfo] { groups.flatMap(\.commands) }

    /// The names of the commands, sorted.
    var names: [String] { commands.map(\.name).sorted() }

    package func command(_ name: String) -> CommandInfo? {
        commands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// Follows words through the command tree as far as they name commands: `server kick bob` leads to `server kick`.
    /// - Returns: the command, and the number of words in its name; `nil` if the first word names none.
    func resolve(_ words: some Collection<String>) -> (command: CommandInfo, wordCount: Int)? {
        guard let first = words.first, var command = command(first) else { return nil }
        var count = 1
        for word in words.dropFirst() {
            guard let next = command.subcommand(word) else { break }
            command = next
            count += 1
        }
        return (command, count)
    }
}

/// One command or subcommand.
package struct CommandInfo: Equatable, Sendable {
    /// The last word of its path.
    var name: String
    /// All words: `["server", "account", "add"]`.
    var path: [String]
    var aliases: [String]
    var abstract: String
    /// Lines that a user could type.
    var examples: [String]
    /// Further notes, shown after the examples.
    var notes: String
    var positionals: [ArgumentInfo]
    /// Options and flags, except `--help`, which every command has.
    var options: [ArgumentInfo]
    var subcommands: [CommandInfo]
    /// The subcommand that is used if none is given.
    var defaultSubcommand: String?
    /// True if `@client` can stand before it.
    var takesClient: Bool

    func subcommand(_ name: String) -> CommandInfo? {
        subcommands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// This command and all below it.
    var all: [CommandInfo] { [self] + subcommands.flatMap(\.all) }

    /// `login <user> [--token <token>] …` in one line.
    var usage: String {
        let name = path.joined(separator: " ")
        guard subcommands.isEmpty else {
            // A longer choice fits no line; help lists it below anyway.
            let choice = subcommands.count > 8 ? "<command>" : subcommands.map(\.name).joined(separator: "|")
            return defaultSubcommand == nil ? "\(name) \(choice)" : "\(name) [\(choice)]"
        }
        return ([name] + positionals.map(\.usage) + options.map(\.usage)).joined(separator: " ")
    }
}

/// One argument, option or flag.
struct ArgumentInfo: Equatable, Sendable {
    /// `--token`, also `-c`; empty for a positional argument.
    var names: [String]
    /// The name of the value; empty for a flag.
    var valueName: String
    /// All possible values, if they can be listed.
    var values: [String]
    var help: String
    var isOptional: Bool
    var isRepeating: Bool

    var isFlag: Bool { !names.isEmpty && valueName.isEmpty }

    /// The kind of its value, from the value's name.
    var kind: ValueKind { ValueKind(rawValue: valueName) ?? .text }

    /// `<user>`, `[--token <token>]`, `[<word> …]`
    var usage: String {
        let value = values.isEmpty || values.count > 6 ? "<\(valueName)>" : values.joined(separator: "|")
        var text = names.isEmpty ? value : isFlag ? names[0] : "\(names[0]) \(value)"
        if isRepeating { text += " …" }
        return isOptional ? "[\(text)]" : text
    }
}

/// The kinds of values that the shell can complete; the raw value is the value's name in its declaration.
enum ValueKind: String, CaseIterable, Sendable {
    case client, user, device, channel, file, profile, frame, state, duration, variable
    /// A duration that may be negative.
    case offset
    /// A user or a channel.
    case to
    /// `K=V` of `set`, of `option`, of `server policy`.
    case setting, option, policy
    case clientPolicy = "client-policy"
    /// A command's name, or a group's.
    case command
    /// The words after `expect`.
    case pattern
    /// A condition on the events of recordings, in one word or several.
    case filter
    /// The word after a subject of `query`.
    case detail
    /// The word after the name of a call on local data.
    case callArgument = "call-argument"
    /// Never kept in the history.
    case token, password
    /// Anything else.
    case text
}
