import ArgumentParser
import IMShell

extension ImreplCommand {
    struct Shrink: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.shrink.rawValue, abstract: TerminalCommand.shrink.abstract,
            discussion: """
                EXAMPLES:
                  imrepl shrink kick.pcapng --keep 'count(kick and node == phone) >= 2'

                Devices, commands, faults and waits go, and values become plain, as long as the condition holds. It writes \
                a script that ends with what must not be, and its recording.
                Exit codes: 1 there is nothing to keep: the condition does not hold.
                """)

        @Argument(help: "A recording or 'last'.")
        var source: String

        @Option(help: ArgumentHelp("What to keep.", valueName: "condition"))
        var keep: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The script; 'NAME-shrunk.imr' by itself.", valueName: "file"))
        var output: String?

        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard keep != nil else {
                throw ValidationError("shrink keeps what? Give it --keep, as in --keep 'count(kick) >= 2'")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.shrink(
                ShrinkRequest(
                    source: source, condition: keep ?? "", target: output, overwrites: forceOption.force,
                    settings: common.settings(jsonOption)))
        }
    }
}

package struct ShrinkRequest: Equatable, Sendable {
    /// A file or `last`.
    package var source: String
    /// A ``SessionCondition``.
    package var condition: String
    package var target: String?
    package var overwrites: Bool
    package var settings: CommonSettings

    package init(source: String, condition: String, target: String?, overwrites: Bool, settings: CommonSettings) {
        (self.source, self.condition, self.target) = (source, condition, target)
        (self.overwrites, self.settings) = (overwrites, settings)
    }
}
