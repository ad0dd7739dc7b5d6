import ArgumentParser
import IMText

struct RecCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rec",
        abstract: "Manage the recording of this session.",
        discussion: Discussion.examples(
            "rec status", "rec mark 'lift door closes'", "rec start bug-417.pcapng", "rec stop"),
        subcommands: [Status.self, Mark.self, Start.self, Stop.self])

    struct Status: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the file, its events and its size.",
            discussion: Discussion.examples("rec status"))

        var nature: CommandNature { .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.record(.status) }
    }

    struct Mark: WordListCommand {
        static var wordList: WritableKeyPath<Self, [TextArgument]> { \.text }
        static let configuration = CommandConfiguration(
            commandName: "mark", abstract: "Set a mark, to which a replay can go.",
            discussion: Discussion.examples("rec mark 'lift door closes'"))

        @Argument(help: "The name of the mark.")
        var text: [TextArgument]

        var nature: CommandNature { .controlsShell }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.record(.mark(text.map(\.value).joined(separator: " ")))
        }
    }

    struct Start: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a new recording.",
            discussion: Discussion.examples("rec start", "rec start bug-417.pcapng"))

        @Argument(help: "The file; by default named after profile and time.")
        var file: TextArgument?

        @Flag(help: "Replace an existing session.")
        var force = false

        var nature: CommandNature { .controlsShell }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.record(.start(file: file?.value, overwrites: force))
        }
    }

    struct Stop: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Close the recording.", discussion: Discussion.examples("rec stop"))

        var nature: CommandNature { .controlsShell }

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.record(.stop) }
    }
}

struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "The recorded sessions.",
        discussion: Discussion.examples(
            "sessions", "sessions show last", "sessions search 'kind == callback'", "sessions rename last lift",
            "sessions delete lift"),
        subcommands: [List.self, Show.self, Search.self, Rename.self, Delete.self],
        defaultSubcommand: List.self)

    struct List: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List recorded sessions, newest first.",
            discussion: Discussion.examples("sessions list"))

        var nature: CommandNature { .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.sessions(.list) }
    }

    struct Show: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a summary of a session.",
            discussion: Discussion.examples("sessions show last", "sessions show bug-417.pcapng"))

        @Argument(help: "A file, a name from the list, or 'last'.")
        var file: TextArgument

        var nature: CommandNature { .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.sessions(.show(file.value))
        }
    }

    struct Rename: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Rename a session.",
            discussion: Discussion.examples("sessions rename last lift"))

        @Argument(help: "A name from the list, or 'last'.")
        var file: TextArgument

        @Argument(help: ArgumentHelp("The new name; the file stays in its folder.", valueName: "name"))
        var name: TextArgument

        var nature: CommandNature { .controlsShell }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.sessions(.rename(file.value, to: name.value))
        }
    }

    struct Delete: WordListCommand {
        static var wordList: WritableKeyPath<Self, [TextArgument]> { \.files }
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete sessions permanently.",
            discussion: Discussion.examples("sessions delete lift", "sessions delete last"))

        @Argument(help: ArgumentHelp("Names from the list, or 'last'.", valueName: "file"))
        var files: [TextArgument]

        var nature: CommandNature { .controlsShell }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.sessions(.delete(files.map(\.value)))
        }
    }

    struct Search: WordListCommand {
        static var wordList: WritableKeyPath<Self, [TextArgument]> { \.expression }
        static let configuration = CommandConfiguration(
            commandName: "search", abstract: "Find sessions that contain an event.",
            discussion: Discussion.examples("sessions search 'to == reconnecting'"))

        @Argument(help: ArgumentHelp("A condition on an event; see 'help filter'.", valueName: "filter"))
        var expression: [TextArgument]

        var nature: CommandNature { .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            // The shell removed the quotes of each word, so values with spaces are quoted again. If the whole filter is
            // one word, the quotes inside it are still there.
            let words = expression.map(\.value)
            let quoted = words.map { $0.contains(where: \.isWhitespace) ? $0.quoted : $0 }
            try shell.sessions(.search(words.count == 1 ? words[0] : quoted.joined(separator: " ")))
        }
    }
}
