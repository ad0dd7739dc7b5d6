import ArgumentParser
import IMDebugger
import IMShell
import IMText
import SansIO

extension ImreplCommand {
    struct Vary: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.vary.rawValue, abstract: TerminalCommand.vary.abstract,
            discussion: """
                EXAMPLES:
                  imrepl vary kick.imr                     the script's own expectations
                  imrepl vary kick.pcapng --until 'count(kick) >= 2'
                  imrepl vary kick.imr --kinds wait,order --runs 2000

                Use it for a bug that occurs, for example, once in ten runs. Each run executes the scenario with \
                one to three random changes, which depend on --seed. It reports in how many runs an expectation \
                fails, and which kinds of changes cause that. It minimizes the changes, and writes a script and a \
                recording.
                KINDS are wait (a line comes later, or a wait has another length), order (lines of two devices are \
                swapped), seed, delay, hold and loss (of a frame), outage and sleep.
                Exit code 1: an expectation fails in some run, or without a change.
                """)

        @Argument(help: "A script, a recording, or 'last'.")
        var file: String

        @Argument(help: ArgumentHelp("Variables for the script.", valueName: "name=value"))
        var variables: [VariableArgument] = []

        @Option(
            help: ArgumentHelp(
                "The outcome that must not occur: a filter, or counts of filters.", valueName: "condition"))
        var until: String?

        @Flag(help: "Use the script's own expectations; the default without --until.")
        var expect = false

        @Option(
            help: ArgumentHelp("The number of runs.", valueName: "number"),
            transform: WholeNumber.in(1...1_000_000, "runs"))
        var runs = 500

        @Option(help: ArgumentHelp("The time limit.", valueName: "duration"))
        var timeLimit: DurationArgument?

        @Option(
            help: ArgumentHelp("The seed of the changes.", valueName: "number"),
            transform: WholeNumber.in(0...Int.max, "seed"))
        var seed = 1

        @Option(help: ArgumentHelp("Only these kinds of changes.", valueName: "kind,kind"), transform: Self.kinds)
        var kinds = ScriptEdit.Kind.allCases

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The script to write; by default 'NAME-varied.imr'.", valueName: "file"))
        var output: String?

        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard until == nil || !expect else { throw ValidationError("--until and --expect cannot both be given") }
        }

        static func kinds(_ text: String) throws -> [ScriptEdit.Kind] {
            try text.split(separator: ",").map { word in
                guard let kind = ScriptEdit.Kind(rawValue: String(word)) else {
                    let all = ScriptEdit.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("unknown kind of change '\(word)'; use one of: \(all)")
                }
                return kind
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.vary(
                VaryRequest(
                    file: file, variables: variables.map(\.pair), condition: until, runs: runs,
                    timeLimit: timeLimit?.interval, seed: UInt64(seed), kinds: kinds, target: output,
                    overwrites: forceOption.force, settings: common.settings(jsonOption)))
        }
    }
}

struct VaryRequest: Equatable, Sendable {
    /// A script, a recording, a name or `last`.
    var file: String
    var variables: [KeyValue]
    /// The outcome that must not occur: the text of a ``SessionCondition``. Nil for the script's own expectations.
    var condition: String?
    var runs: Int
    var timeLimit: Interval?
    var seed: UInt64
    var kinds: [ScriptEdit.Kind]
    var target: String?
    var overwrites: Bool
    var settings: CommonSettings
}
