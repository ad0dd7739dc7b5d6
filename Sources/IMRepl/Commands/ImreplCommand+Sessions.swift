import ArgumentParser
import IMSession
import IMShell

/// Commands on recorded sessions.
extension ImreplCommand {
    struct Sessions: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.sessions.rawValue, abstract: TerminalCommand.sessions.abstract,
            discussion: """
                EXAMPLES:
                  imrepl sessions
                  imrepl sessions show last
                  imrepl sessions search 'callback == onKick and in-state == syncing'
                """,
            subcommands: [List.self, Show.self, Search.self, Rename.self, Delete.self], defaultSubcommand: List.self)

        struct List: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List recorded sessions, newest first.")

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.sessions(.list, common.settings(jsonOption))
            }
        }

        struct Show: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "show", abstract: "Show a summary of a session.")

            @Argument(help: "A file, a name from the list, or 'last'.")
            var file: String

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.sessions(.show(file), common.settings(jsonOption))
            }
        }

        struct Rename: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "rename", abstract: "Rename a session.",
                discussion: "EXAMPLES:\n  imrepl sessions rename last lift")

            @Argument(help: "A file, a name from the list, or 'last'.")
            var file: String

            @Argument(help: ArgumentHelp("The new name; the file stays in its folder.", valueName: "name"))
            var name: String

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.sessions(.rename(file, to: name), common.settings(jsonOption))
            }
        }

        struct Delete: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "delete", abstract: "Delete sessions permanently.",
                discussion: "EXAMPLES:\n  imrepl sessions delete last\n  imrepl sessions delete lift lift-2")

            @Argument(help: "Files, names from the list, or 'last'.")
            var files: [String]

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.sessions(.delete(files), common.settings(jsonOption))
            }
        }

        struct Search: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "search", abstract: "Find sessions that contain an event.",
                discussion: """
                    EXAMPLES:
                      imrepl sessions search 'kind == transition and to == kicked'
                      imrepl sessions search 'callback == onKick and in-state == syncing' sessions
                      imrepl sessions search 'final-state == kicked and profile == nim' sessions

                    'imrepl help filter' describes the language.
                    """)

            @Argument(help: "An expression, as for 'show --filter'.")
            var expression: String

            @Argument(help: "Files and folders; by default the recordings of the list.")
            var places: [String] = []

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.sessions(
                    places.isEmpty ? .search(expression) : .searchIn(places, expression), common.settings(jsonOption))
            }
        }
    }

    struct Verify: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.verify.rawValue, abstract: TerminalCommand.verify.abstract,
            discussion: "EXAMPLES:\n  imrepl verify last\n  imrepl verify sessions/*.pcapng")

        @Argument(help: "The recordings; 'last' is the newest.")
        var files: [String]

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.verify(files, common.settings(jsonOption))
        }
    }

    struct Show: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.show.rawValue, abstract: TerminalCommand.show.abstract,
            discussion: """
                EXAMPLES:
                  imrepl show last
                  imrepl show kick.pcapng --filter 'node == phone' --json
                  imrepl show served.pcapng --clock both
                  imrepl show app.log --format our-app.json

                'imrepl help filter' describes the language of filters.
                """)

        @Argument(help: "A recording, 'last', or a log.")
        var file: String

        @Option(help: ArgumentHelp("Only events that match this filter.", valueName: "expression"))
        var filter: String?

        @OptionGroup var clockOption: ClockOption
        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.show(
                ShowRequest(
                    file: file, filter: filter, clock: clockOption.clock, formats: log.format,
                    profile: log.profileOption.profiles.first, asJSON: jsonOption.json, settings: common.settings))
        }
    }

    struct Diff: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.diff.rawValue, abstract: TerminalCommand.diff.abstract,
            discussion: "EXAMPLES:\n  imrepl diff before.pcapng after.pcapng\n  imrepl diff kick.pcapng last")

        @Argument(help: "A recording.")
        var left: String

        @Argument(help: "The other recording.")
        var right: String

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.diff(left, right, common.settings(jsonOption))
        }
    }
}
