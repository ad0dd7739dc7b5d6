import ArgumentParser
import IMProtocol
import IMShell

extension ImreplCommand {
    struct Reproduce: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.reproduce.rawValue, abstract: TerminalCommand.reproduce.abstract,
            discussion: """
                EXAMPLES:
                  imrepl reproduce app.log --platform ios
                  imrepl reproduce logcat.txt --profile nim --platform android -o explanation.imr
                  imrepl reproduce tap.ndjson --complete
                  imrepl reproduce reports/ --jobs 2 -o found
                  imrepl reproduce reports/ --shard 2/4 --json > part-2.ndjson
                  imrepl reproduce --merge part-1.ndjson --merge part-2.ndjson

                It replays the app's calls at their times, and the simulation must produce the log's callbacks at \
                their times. The search adds as few hidden events as possible: losses of the network, other logins, \
                kicks, expired tokens. For each end of a login it prints the likely causes, and a question that \
                distinguishes them. If the log has no explanation, the exit code is 1 and the nearest miss is \
                shown. It is also 1 if the lines that are understood show no end of a login. The scripts contain the \
                texts of messages.

                A log may lack lines: the search also tries explanations with missing calls and callbacks. With \
                --complete it does not, so a missing callback is evidence.

                For several logs, or a folder of logs, it prints one table: the causes of each end of a login, and the \
                logs with the same cause. The exit code is 1 if a log has no explanation.
                """)

        @Argument(help: "The log, a text file; or several logs or folders.")
        var files: [String] = []

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The script to write; scripts of other causes get a number: explanation-2.imr. For several logs: a folder.",
                valueName: "file"))
        var output: String?

        @Option(help: ArgumentHelp("The device's platform, which decides which devices exclude it.", valueName: "name"))
        var platform = "ios"

        @Option(help: ArgumentHelp("The maximum number of causes of an end.", valueName: "n"))
        var explanations = 3

        @Option(help: ArgumentHelp("The time limit, for example 10s.", valueName: "duration"))
        var timeLimit: DurationArgument?

        @Option(help: ArgumentHelp("The maximum number of simulation runs.", valueName: "n"))
        var runs = 300

        @Option(
            help: ArgumentHelp(
                "The allowed difference of times; the default depends on the network's delay.", valueName: "duration"))
        var tolerance: DurationArgument?

        @Option(
            help: ArgumentHelp("The number of logs to search in parallel.", valueName: "number"),
            transform: WholeNumber.in(1...64, "logs"))
        var jobs = 1

        @Option(help: ArgumentHelp("Only this part of the logs, for example 2/4.", valueName: "i/n"))
        var shard: ShardArgument?

        @Option(help: ArgumentHelp("Merge the tables of parts that --json wrote.", valueName: "file"))
        var merge: [String] = []

        @OptionGroup var completeOption: CompleteOption
        @OptionGroup var log: LogOptionGroup
        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard Platform.allCases.contains(where: { $0.name == platform }) else {
                let known = Platform.allCases.map(\.name).joined(separator: ", ")
                throw ValidationError("invalid value '\(platform)' for --platform; use one of: \(known)")
            }
            guard merge.isEmpty != files.isEmpty else {
                throw ValidationError(
                    merge.isEmpty ? "give a log" : "--merge merges tables and searches nothing; give no log")
            }
            guard (1...9).contains(explanations) else { throw ValidationError("--explanations takes 1 to 9") }
            guard runs > 0 else { throw ValidationError("--runs takes a number from 1") }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.reproduce(
                ReproduceRequest(
                    files: files, shard: shard, merges: merge, jobs: jobs, target: output, formats: log.format,
                    profile: log.profileOption.profiles.first,
                    platform: Platform.allCases.first { $0.name == platform } ?? .ios, explanations: explanations,
                    runsMax: runs, seconds: (timeLimit?.interval).map { Double($0.inMilliseconds) / 1000 },
                    toleranceMilliseconds: (tolerance?.interval).map(\.inMilliseconds),
                    isComplete: completeOption.complete, overwrites: forceOption.force,
                    settings: common.settings(jsonOption)))
        }
    }
}

struct ReproduceRequest: Equatable, Sendable {
    var files: [String]
    /// The part of the logs; nil for all.
    var shard: ShardArgument?
    /// The tables to merge. With tables, no logs are read.
    var merges: [String] = []
    var jobs = 1
    /// The script, or the folder for the scripts of several logs; nil for none.
    var target: String?
    var formats: [String] = []
    /// The profile; nil to derive it from the callbacks.
    var profile: String?
    var platform: Platform
    var explanations: Int
    var runsMax: Int
    /// The time limit in seconds; nil for no limit.
    var seconds: Double?
    var toleranceMilliseconds: Int64?
    /// True if no line of the log is missing.
    var isComplete = false
    var overwrites = false
    var settings: CommonSettings

    /// The log, if there is only one.
    var file: String {
        get { files.first ?? "" }
        set { files = [newValue] }
    }

    /// True if the logs are several, so that the result is a table.
    var isCorpus: Bool { files.count != 1 || shard != nil || Folder.exists(file) }
}
