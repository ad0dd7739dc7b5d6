import ArgumentParser
import IMCommands
import IMProtocol

extension ImreplCommand {
    struct Reproduce: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.reproduce.rawValue, abstract: TerminalCommand.reproduce.abstract,
            discussion: """
                EXAMPLES:
                  imrepl reproduce app.log --platform ios
                  imrepl reproduce logcat.txt --profile nim --platform android -o story.imr

                Our machines, given the app's calls at their times, must give the log's callbacks at their times. The search \
                adds as few hidden events as it can: losses of the network, other logins, kicks, tokens that end. Each \
                ending of a login gets its likely causes and the question that tells them apart. The exit code is 1 if no \
                story explains the log; the nearest miss is shown then. Scripts hold the texts of messages.
                """)

        @Argument(help: "The log, a text file.")
        var file: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The script to write; those of other causes get a number: story-2.imr.", valueName: "file"))
        var output: String?

        @Option(help: ArgumentHelp("The device's platform: it decides which devices exclude it.", valueName: "name"))
        var platform = "ios"

        @Option(help: ArgumentHelp("So many causes an ending gets at most.", valueName: "n"))
        var explanations = 3

        @Option(help: ArgumentHelp("Give up after so long, as in 10s.", valueName: "duration"))
        var timeLimit: DurationArgument?

        @Option(help: ArgumentHelp("Give up after so many runs of the simulation.", valueName: "n"))
        var runs = 300

        @Option(
            help: ArgumentHelp(
                "By how much times may differ; the default follows the network's delay.", valueName: "duration"))
        var tolerance: DurationArgument?

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard Platform.allCases.contains(where: { $0.name == platform }) else {
                let known = Platform.allCases.map(\.name).joined(separator: ", ")
                throw ValidationError("invalid value '\(platform)' for --platform; use one of: \(known)")
            }
            guard (1...9).contains(explanations) else { throw ValidationError("--explanations takes 1 to 9") }
            guard runs > 0 else { throw ValidationError("--runs takes a number from 1") }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.reproduce(
                ReproduceRequest(
                    file: file, target: output, formats: log.format, profile: log.profileOption.profiles.first,
                    platform: Platform.allCases.first { $0.name == platform } ?? .ios, explanations: explanations,
                    runsMax: runs, seconds: (timeLimit?.interval).map { Double($0.inMilliseconds) / 1000 },
                    toleranceMilliseconds: (tolerance?.interval).map(\.inMilliseconds), overwrites: forceOption.force,
                    settings: common.settings(jsonOption)))
        }
    }
}

struct ReproduceRequest: Equatable, Sendable {
    var file: String
    /// The script; nil for none.
    var target: String?
    var formats: [String] = []
    /// nil takes it from the callbacks.
    var profile: String?
    var platform: Platform
    var explanations: Int
    var runsMax: Int
    /// nil for no limit.
    var seconds: Double?
    var toleranceMilliseconds: Int64?
    var overwrites = false
    var settings: CommonSettings
}
