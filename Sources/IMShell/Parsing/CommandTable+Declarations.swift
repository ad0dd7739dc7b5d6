import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CommandTable {
    /// The table of the shell's commands, created once from their declarations.
    package static let shell = CommandTable(ShellRoot.self)

    /// The table of a program's subcommands.
    package init(program root: any ParsableCommand.Type) {
        groups = [Group(name: "program", commands: Description.commands(below: root, path: []))]
    }

    /// Reads the declarations from the JSON description that ArgumentParser generates.
    init(_ root: any ParsableCommand.Type) {
        let infos = Description.commands(below: root, path: [])
        groups = root.configuration.groupedSubcommands.map { group in
            let names = group.subcommands.map { $0.configuration.commandName ?? "" }
            return Group(name: group.name, commands: names.compactMap { name in infos.first { $0.name == name } })
        }
    }
}

/// The part of ArgumentParser's JSON description that this program uses. ArgumentParser's own types for it are not
/// public.
private struct Description: Decodable {
    var command: Command

    struct Command: Decodable {
        var arguments: [Argument]?
    }

    struct Argument: Decodable {
        var kind: String
        var isOptional: Bool
        var isRepeating: Bool
        var names: [OptionName]?
        var valueName: String?
        var allValues: [String]?
        var abstract: String?

        struct OptionName: Decodable {
            var kind: String
            var name: String
        }
    }

    static func commands(below root: any ParsableCommand.Type, path: [String]) -> [CommandInfo] {
        root.configuration.subcommands.map { info(of: $0, path: path) }
    }

    private static func info(of type: any ParsableCommand.Type, path: [String]) -> CommandInfo {
        let configuration = type.configuration
        let name = configuration.commandName ?? ""
        let path = path + [name]
        let subcommands = commands(below: type, path: path)
        let (examples, notes) = Discussion.split(configuration.discussion)
        let arguments = subcommands.isEmpty ? arguments(of: type) : []
        return CommandInfo(
            name: name, path: path, aliases: configuration.aliases, abstract: configuration.abstract,
            examples: examples,
            notes: notes, positionals: arguments.filter(\.names.isEmpty),
            options: arguments.filter { !$0.names.isEmpty },
            subcommands: subcommands, defaultSubcommand: configuration.defaultSubcommand?.configuration.commandName,
            takesClient: (type as? any ShellCommand.Type)?.takesClient ?? subcommands.contains(where: \.takesClient))
    }

    private static func arguments(of type: any ParsableCommand.Type) -> [ArgumentInfo] {
        let text = type._dumpHelp()
        // A test checks the format of the description. If it differed, the shell would still run, but without
        // completion.
        guard let description = try? JSONDecoder().decode(Description.self, from: Data(text.utf8)) else { return [] }
        return (description.command.arguments ?? []).compactMap { argument in
            let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            guard !names.contains("--help"), !names.contains("--version") else { return nil }
            return ArgumentInfo(
                names: names.sorted { $0.count > $1.count },
                valueName: argument.kind == "flag" ? "" : argument.valueName ?? "", values: argument.allValues ?? [],
                help: argument.abstract ?? "", isOptional: argument.isOptional, isRepeating: argument.isRepeating)
        }
    }
}
