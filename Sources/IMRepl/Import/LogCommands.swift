import ArgumentParser
import IMProfiles
import IMSession
import IMShell

/// The options for reading a log.
struct LogOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A format file of lnav, version 1; tried before the built-in formats. Can be repeated.", valueName: "file"))
    var format: [String] = []

    @OptionGroup var profileOption: ProfileOption

    func validate() throws {
        guard profileOption.profiles.count <= 1 else { throw ValidationError("a log needs exactly one --profile") }
        for name in profileOption.profiles where Dialects.named(name) == nil {
            let known = Dialects.all.map(\.profile).joined(separator: ", ")
            throw ValidationError("invalid value '\(name)' for --profile; use one of: \(known)")
        }
    }
}

/// The option that promises that no line is missing.
struct CompleteOption: ParsableArguments {
    @Flag(help: "The log contains every call, result and callback of the SDK, so a missing line is evidence.")
    var complete = false
}

extension ImreplCommand {
    struct Check: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.check.rawValue, abstract: TerminalCommand.check.abstract,
            discussion: """
                EXAMPLES:
                  imrepl check easemob.log
                  imrepl check logcat.txt --profile nim
                  imrepl check tap.ndjson --complete

                It reports the first event that the rules do not allow, with the rules and the allowed events, and \
                then continues. It assumes events that a log cannot show, such as a lost network, if a line needs \
                them. A finding can also mean that the log lacks lines. With --complete, it assumes no missing \
                step, call or result.
                Exit codes: 0 allowed, 1 findings, 2 usage, 3 the file cannot be read, 5 not a log.
                """)

        @Argument(help: "The log, a text file.")
        var file: String

        @OptionGroup var completeOption: CompleteOption
        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            var request = LogRequest(file, log, common.settings(jsonOption))
            request.isComplete = completeOption.complete
            return try await entry.checkLog(request)
        }
    }

    struct Follow: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.follow.rawValue, abstract: TerminalCommand.follow.abstract,
            discussion: """
                EXAMPLES:
                  imrepl follow served.pcapng --filter kick
                  imrepl follow last --clock both
                  adb logcat | imrepl follow -
                  ssh HOST imrepl follow served.pcapng

                It prints the events of a recording as they are written, and ends when the recording is closed. For a \
                log it prints the calls, callbacks and frames, and counts the other lines. It reads a file from its \
                beginning and follows it until Ctrl-C, and the standard input until its end.
                A server writes such a recording with 'serve --record FILE'.
                """)

        @Argument(help: "A recording, 'last', or a log; '-' is a log from the standard input.")
        var file: String

        @Option(help: ArgumentHelp("Only events that match this filter.", valueName: "expression"))
        var filter: String?

        @OptionGroup var clockOption: ClockOption
        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard let colon = file.firstRange(of: "://") else { return }
            let host = file[colon.upperBound...].prefix { $0 != "/" && $0 != ":" }
            throw ValidationError(
                "'follow' reads a file, but '\(file)' is an address: start the server with 'imrepl serve --record "
                    + "FILE', and on its machine run 'imrepl follow FILE', for example 'ssh \(host) imrepl follow "
                    + "FILE'")
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            var request = LogRequest(file, log, common.settings(jsonOption))
            (request.filter, request.clock) = (filter, clockOption.clock)
            return try await entry.followLog(request)
        }
    }
}

struct LogRequest: Equatable, Sendable {
    var file: String
    var formats: [String]
    /// The profile; nil to derive it from the callbacks.
    var profile: String?
    var settings: CommonSettings
    var filter: String?
    var clock = EventClock.Shown.relative
    /// True if no line of the log is missing.
    var isComplete = false

    init(_ file: String, _ options: LogOptionGroup, _ settings: CommonSettings) {
        (self.file, self.settings) = (file, settings)
        (formats, profile) = (options.format, options.profileOption.profiles.first)
    }
}
