import ArgumentParser
import IMShell

extension ImreplCommand {
    struct Shrink: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.shrink.rawValue, abstract: TerminalCommand.shrink.abstract,
            discussion: """
                EXAMPLES:
                  imrepl shrink kick.pcapng --keep 'count(kick and node == phone) >= 2'

                It removes devices, commands, faults and waits, and simplifies values, as long as the condition \
                holds. It writes a script that ends with a check of the condition, and its recording.
                Exit code 1: the condition does not hold in the recording.
                """)

        @Argument(help: "A recording or 'last'.")
        var source: String

        @Option(help: ArgumentHelp("The condition that must still hold.", valueName: "condition"))
        var keep: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The script; by default 'NAME-shrunk.imr'.", valueName: "file"))
        var output: String?

        @OptionGroup var forceOption: ForceOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard keep != nil else {
                throw ValidationError("--keep is missing, for example --keep 'count(kick) >= 2'")
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
    /// The condition that must still hold: the text of a ``SessionCondition``.
    package var condition: String
    package var target: String?
    package var overwrites: Bool
    package var settings: CommonSettings

    package init(source: String, condition: String, target: String?, overwrites: Bool, settings: CommonSettings) {
        (self.source, self.condition, self.target) = (source, condition, target)
        (self.overwrites, self.settings) = (overwrites, settings)
    }
}
