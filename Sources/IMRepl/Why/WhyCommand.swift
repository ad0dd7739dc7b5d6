import ArgumentParser
import IMShell

/// The commands that explain causes, without the prompt of a replay.
extension ImreplCommand {
    struct Why: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.why.rawValue, abstract: TerminalCommand.why.abstract,
            discussion: """
                EXAMPLES:
                  imrepl why last                    the last change of state or failed command
                  imrepl why kick.pcapng 79          event 79
                  imrepl why app.log 'callback == onKick'

                EVENT is a position (79, end, t=12.5s, mark:NAME) or an expression as for 'show --filter'. If several \
                events match, the last one is explained. A log is read as by 'import'.
                Exit codes: 0 explained, 1 no such event, 2 usage, 5 the file cannot be read.
                """)

        @Argument(help: "A recording or a log, a name from 'sessions', or 'last'.")
        var file: String

        @Argument(help: ArgumentHelp("A position or an expression; the default is the end.", valueName: "event"))
        var event: [String] = []

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.why(WhyRequest(file, event, log, common.settings(jsonOption)))
        }
    }

    struct WhyNot: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.whyNot.rawValue, abstract: TerminalCommand.whyNot.abstract,
            discussion: """
                EXAMPLES:
                  imrepl why-not last kick
                  imrepl why-not app.log 'kind == transition and to == online'

                'imrepl help filter' describes the expression. The answer applies to the end of the recording.
                Exit codes: 0 explained, 2 usage, 5 the file cannot be read.
                """)

        @Argument(help: "A recording or a log, a name from 'sessions', or 'last'.")
        var file: String

        @Argument(help: ArgumentHelp("The condition that was not met.", valueName: "expression"))
        var expression: [String]

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.whyNot(WhyRequest(file, expression, log, common.settings(jsonOption)))
        }
    }
}

struct WhyRequest: Equatable, Sendable {
    /// A recording, a log, a name from the list, or `last`.
    var file: String
    /// For `why`, the position of an event or an expression; nil for the end. For `why-not`, the condition.
    var about: String?
    var formats: [String]
    /// The profile; nil to derive it from the callbacks of a log.
    var profile: String?
    var settings: CommonSettings

    init(_ file: String, _ words: [String], _ log: LogOptionGroup, _ settings: CommonSettings) {
        (self.file, self.settings) = (file, settings)
        about = words.isEmpty ? nil : words.joined(separator: " ")
        (formats, profile) = (log.format, log.profileOption.profiles.first)
    }
}
