import ArgumentParser
import IMCommands
import IMDialects

/// A log, and how it is read.
struct LogOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp("A format file of lnav, version 1; tried before our own. Repeatable.", valueName: "file"))
    var format: [String] = []

    @OptionGroup var profileOption: ProfileOption

    func validate() throws {
        guard profileOption.profiles.count <= 1 else { throw ValidationError("a log is of one --profile") }
        for name in profileOption.profiles where Dialects.named(name) == nil {
            let known = Dialects.all.map(\.profile).joined(separator: ", ")
            throw ValidationError("invalid value '\(name)' for --profile; use one of: \(known)")
        }
    }
}

extension ImreplCommand {
    struct Check: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.check.rawValue, abstract: TerminalCommand.check.abstract,
            discussion: """
                EXAMPLES:
                  imrepl check easemob.log
                  imrepl check logcat.txt --profile nim

                It reports the first event that the rules do not allow, with the rules and with what was allowed there, \
                then continues after it. Events that a log cannot show, such as a lost network, are assumed where a line \
                needs them. A finding can also mean that lines of the log are missing.
                Exit codes: 0 allowed, 1 findings, 2 usage, 3 the file cannot be read, 5 not a log.
                """)

        @Argument(help: "The log, a text file.")
        var file: String

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.checkLog(LogRequest(file, log, common.settings(jsonOption)))
        }
    }

    struct Follow: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.follow.rawValue, abstract: TerminalCommand.follow.abstract,
            discussion: """
                EXAMPLES:
                  adb logcat | imrepl follow -
                  imrepl follow easemob.log

                It prints the calls, callbacks and frames of a log as they come, and counts the other lines. A file is \
                read from its beginning and followed until Ctrl-C, the standard input until it ends.
                """)

        @Argument(help: "The log, a text file; '-' is the standard input.")
        var file: String

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.followLog(LogRequest(file, log, common.settings(jsonOption)))
        }
    }
}

struct LogRequest: Equatable, Sendable {
    var file: String
    var formats: [String]
    /// nil takes it from the callbacks.
    var profile: String?
    var settings: CommonSettings

    init(_ file: String, _ options: LogOptionGroup, _ settings: CommonSettings) {
        (self.file, self.settings) = (file, settings)
        (formats, profile) = (options.format, options.profileOption.profiles.first)
    }
}
