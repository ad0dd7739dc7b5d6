import ArgumentParser
import IMShell

extension ImreplCommand {
    struct Import: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.import.rawValue, abstract: TerminalCommand.import.abstract,
            discussion: """
                EXAMPLES:
                  imrepl import easemob.log
                  imrepl import logcat.txt --profile nim -o bug.pcapng
                  imrepl import app.log --suggest --profile nim -o our-app.json
                  imrepl import app.log --format our-app.json

                The session is observed, not simulated: show, timeline, replay, export and report work on it, but not \
                verify. Tokens, device ids, positions, Wi-Fi names and texts of messages are replaced. \
                Documentation/Logs.md lists the formats and describes format files.
                """)

        @Argument(help: "The log, a text file.")
        var file: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The session to write; by default a new one in the list.", valueName: "file"))
        var output: String?

        @Flag(help: "Write a draft of a format file from the lines of the log, instead of a session.")
        var suggest = false

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.importLog(
                ImportRequest(
                    file: file, target: output, formats: log.format, profile: log.profileOption.profiles.first,
                    overwrites: forceOption.force, suggests: suggest, settings: common.settings(jsonOption)))
        }
    }
}

struct ImportRequest: Equatable, Sendable {
    var file: String
    /// The path of the session; nil for a new one in the list of `sessions`.
    var target: String?
    var formats: [String] = []
    /// The profile; nil to derive it from the callbacks.
    var profile: String?
    var overwrites = false
    /// True to write a format file instead of a session.
    var suggests = false
    var settings: CommonSettings
}
