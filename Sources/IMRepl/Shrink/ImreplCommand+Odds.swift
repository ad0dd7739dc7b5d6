import ArgumentParser
import IMDebugger
import IMShell

extension ImreplCommand {
    struct Odds: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.odds.rawValue, abstract: TerminalCommand.odds.abstract,
            discussion: """
                EXAMPLES:
                  imrepl odds kick.pcapng kick
                  imrepl odds kick.pcapng 'count(kick and node == phone) >= 2' --runs 200
                  imrepl odds lift.pcapng 'to == offline' --timing 200 --report odds.html

                The scenario runs again from each command, fault, state change and kick of the recording. Earlier \
                events do not change. Later random values use another seed: network loss and jitter, retry jitter, \
                the seeds of clients and server, and with --timing the waits between commands. Each line shows in \
                how many runs the condition held, with the 95 % Wilson interval for all possible runs. Examine the \
                first event after which it held in all runs. More --runs make the interval narrower.
                """)

        @Argument(help: "A recording or 'last'.")
        var file: String

        @Argument(help: ArgumentHelp("The outcome: a filter, or counts of filters.", valueName: "condition"))
        var condition: String

        @Option(
            help: ArgumentHelp("The number of runs from each event.", valueName: "number"),
            transform: WholeNumber.in(1...10_000, "runs"))
        var runs = 50

        @Option(
            help: ArgumentHelp(
                "Change each later wait at random by up to this many thousandths.", valueName: "number"),
            transform: WholeNumber.in(0...900, "thousandths"))
        var timing = 0

        @Option(help: ArgumentHelp("Also write an HTML page.", valueName: "file"))
        var report: String?

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.odds(
                OddsRequest(
                    file: file, condition: condition, runs: runs, timing: timing, report: report,
                    asJSON: jsonOption.json, settings: common.settings))
        }
    }
}

struct OddsRequest: Equatable, Sendable {
    /// A file or `last`.
    var file: String
    /// The condition that defines the outcome: the text of a ``SessionCondition``.
    var condition: String
    var runs: Int
    /// The maximum random change of each later wait, in thousandths of its length.
    var timing: Int
    var report: String?
    var asJSON: Bool
    var settings: CommonSettings
}
