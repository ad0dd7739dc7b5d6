/// All commands of the shell as data, for help and completion. The table is derived from the command declarations, so
/// it always agrees with them.
package struct CommandTable: Equatable, Sendable {
    struct Group: Equatable, Sendable {
        /// The group's name: `world` in `help @world`.
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

    /// The most specific command that the first words name. For `server kick bob` it is `server kick`.
    /// - Returns: the command, and the number of words in its name; nil if the first word is not a command.
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
    /// The last word of `path`.
    var name: String
    /// The words of the command's full name: `["server", "account", "add"]`.
    var path: [String]
    var aliases: [String]
    var abstract: String
    /// Example lines that a user can type.
    var examples: [String]
    /// The notes, which `help` prints after the options.
    var notes: String
    var positionals: [ArgumentInfo]
    /// The options and flags of the command, without `--help`, which every command has.
    var options: [ArgumentInfo]
    var subcommands: [CommandInfo]
    /// The subcommand that runs if the line names none.
    var defaultSubcommand: String?
    /// True if `@client` is allowed before the command.
    var takesClient: Bool

    func subcommand(_ name: String) -> CommandInfo? {
        subcommands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// This command and all its subcommands, at all levels.
    var all: [CommandInfo] { [self] + subcommands.flatMap(\.all) }

    /// The syntax in one line: `login <user> [--token <token>] …`.
    var usage: String {
        let name = path.joined(separator: " ")
        guard subcommands.isEmpty else {
            // A longer list of subcommands does not fit in a line. `help` prints it below in any case.
            let choice = subcommands.count > 8 ? "<command>" : subcommands.map(\.name).joined(separator: "|")
            return defaultSubcommand == nil ? "\(name) \(choice)" : "\(name) [\(choice)]"
        }
        return ([name] + positionals.map(\.usage) + options.map(\.usage)).joined(separator: " ")
    }
}

/// One argument, option or flag of a command.
struct ArgumentInfo: Equatable, Sendable {
    /// The names with their dashes, such as `--token` and `-c`; empty for a positional argument.
    var names: [String]
    /// The name of the value in the syntax, such as `token` in `--token <token>`; empty for a flag.
    var valueName: String
    /// All possible values; empty if they cannot be listed.
    var values: [String]
    var help: String
    var isOptional: Bool
    var isRepeating: Bool

    var isFlag: Bool { !names.isEmpty && valueName.isEmpty }

    /// The kind of value, derived from `valueName`.
    var kind: ValueKind { ValueKind(rawValue: valueName) ?? .text }

    /// The syntax: `<user>`, `[--token <token>]`, `[<word> …]`.
    var usage: String {
        let value = values.isEmpty || values.count > 6 ? "<\(valueName)>" : values.joined(separator: "|")
        var text = names.isEmpty ? value : isFlag ? names[0] : "\(names[0]) \(value)"
        if isRepeating { text += " …" }
        return isOptional ? "[\(text)]" : text
    }
}

/// The kinds of values that the shell can complete. The raw value is the `valueName` in the command's declaration.
enum ValueKind: String, CaseIterable, Sendable {
    case client, user, device, channel, file, profile, frame, state, duration, variable
    /// A duration that may be negative.
    case offset
    /// A user or a channel.
    case to
    /// `key=value` of `set`, `option` and `server policy`.
    case setting, option, policy
    case clientPolicy = "client-policy"
    /// The name of a command or of a group.
    case command
    /// The words of an expectation.
    case pattern
    /// A filter: a condition on events, in one word or several.
    case filter
    /// The argument after the subject of `query`.
    case detail
    /// An argument after the name of a call on local data.
    case callArgument = "call-argument"
    /// A secret: the line is not stored in the history.
    case token, password
    /// Any other kind of value.
    case text
}
