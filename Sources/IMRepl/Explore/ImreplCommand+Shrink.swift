import ArgumentParser
import IMCommands
import IMDialects
import IMScript
import IMShell

extension ImreplCommand {
    struct Shrink: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.shrink.rawValue, abstract: TerminalCommand.shrink.abstract,
            discussion: """
                EXAMPLES:
                  imrepl shrink 4711                                  the failure of that seed
                  imrepl shrink explored/nim-kicks-4711.pcapng
                  imrepl shrink kick.pcapng --keep 'count(kick and node == phone) >= 2'

                Devices, commands, faults and waits go, and values become plain, as long as the same kind of failure is \
                there, or the condition holds. It writes a script that ends with what must not be, and its recording.
                Exit codes: 1 there is nothing to keep: no rule is broken, or the condition does not hold.
                """)

        @Argument(help: "A seed of 'explore', a recording, or 'last'.")
        var source: String

        @Option(help: ArgumentHelp("What to keep, instead of a broken rule.", valueName: "condition"))
        var keep: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The script; 'shrunk-SEED.imr' or 'NAME-shrunk.imr' by itself.", valueName: "file"))
        var output: String?

        @Option(
            help: ArgumentHelp(
                "The seed's failure is the oracle's that 'explore' had fail on purpose.", valueName: "number"),
            transform: WholeNumber.in(0...1_000_000_000, "events"))
        var canary: Int?

        @OptionGroup var forceOption: ForceOption
        @OptionGroup var profileOption: ProfileOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard canary == nil || UInt64(source) != nil else {
                throw ValidationError("--canary goes with a seed: no recording has the oracle that fails on purpose")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.shrink(
                ShrinkRequest(
                    source: source, condition: keep, target: output, overwrites: forceOption.force,
                    profile: profileOption.profiles.first, canaryAt: canary,
                    settings: common.settings(jsonOption)))
        }
    }
}

struct ShrinkRequest: Equatable, Sendable {
    /// A seed, a file or `last`.
    var source: String
    /// A ``SessionCondition``; nil for the rule that is broken.
    var condition: String?
    var target: String?
    var overwrites: Bool
    var profile: String?
    /// Behind so many events an oracle fails on purpose, as it did in the search.
    var canaryAt: Int?
    var settings: CommonSettings
}
