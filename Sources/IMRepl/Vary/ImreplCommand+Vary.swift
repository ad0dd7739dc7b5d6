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

                For a bug that occurs once in ten runs. Each run plays the scenario with one to three changes, drawn \
                from --seed. It says in how many runs an expectation is not met, and with which kinds of changes. It \
                makes the changes as few and as short as it can, and writes the script and the recording that show it.
                KINDS are wait (a line comes later, or a wait has another length), order (lines of two devices change \
                places), seed, delay, hold and loss (of a frame), outage and sleep.
                Exit codes: 1 an expectation is not met in some run, or without a change already.
                """)

        @Argument(help: "A script, a recording, or 'last'.")
        var file: String

        @Argument(help: ArgumentHelp("Variables for the script.", valueName: "name=value"))
        var variables: [VariableArgument] = []

        @Option(help: ArgumentHelp("What must not occur: a filter, or counts of filters.", valueName: "condition"))
        var until: String?

        @Flag(help: "The script's own expectations count; so they do without --until.")
        var expect = false

        @Option(
            help: ArgumentHelp("How many runs.", valueName: "number"), transform: WholeNumber.in(1...1_000_000, "runs"))
        var runs = 500

        @Option(help: ArgumentHelp("Ends after so long.", valueName: "duration"))
        var timeLimit: DurationArgument?

        @Option(
            help: ArgumentHelp("The changes are drawn from it.", valueName: "number"),
            transform: WholeNumber.in(0...Int.max, "seed"))
        var seed = 1

        @Option(help: ArgumentHelp("Only these changes.", valueName: "kind,kind"), transform: Self.kinds)
        var kinds = ScriptEdit.Kind.allCases

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The script that shows it; 'NAME-varied.imr' by itself.", valueName: "file"))
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
                    throw ValidationError("there is no kind of change '\(word)'; there are \(all)")
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
    /// A ``SessionCondition``; nil for the script's own expectations.
    var condition: String?
    var runs: Int
    var timeLimit: Interval?
    var seed: UInt64
    var kinds: [ScriptEdit.Kind]
    var target: String?
    var overwrites: Bool
    var settings: CommonSettings
}
