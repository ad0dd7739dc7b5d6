import ArgumentParser
import IMDebugger
import IMShell

extension ImreplCommand {
    struct Redact: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.redact.rawValue, abstract: TerminalCommand.redact.abstract,
            discussion: """
                EXAMPLES:
                  imrepl redact kick.pcapng                      writes redacted.pcapng
                  imrepl redact last -o bug.pcapng --map who.ndjson
                  imrepl redact kick.pcapng --keep-notes         keeps title and marks, except names

                Users, devices, channels, keys and texts become pseudonyms of the same length, consistently in the \
                whole file. The kinds, times and states of events do not change, and the result can be verified. \
                The original recording is not changed. Labels of clients, such as 'phone', stay unless they contain \
                a name.
                Exit codes: 4 the recording does not verify, 5 it cannot be read.
                """)

        @Argument(help: "A recording or 'last'.")
        var file: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The output file; by default redacted.pcapng beside FILE, or in this folder for a name from "
                    + "'sessions'.",
                valueName: "file"))
        var output: String?

        @Option(
            help: ArgumentHelp(
                "Also write the table of pseudonyms as NDJSON. Keep it secret: it undoes the redaction.",
                valueName: "file"))
        var map: String?

        @Flag(help: "Keep title and marks, except names.")
        var keepNotes = false

        @OptionGroup var forceOption: ForceOption

        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.redact(
                RedactRequest(
                    file: file, target: output, map: map, keepsNotes: keepNotes, overwrites: forceOption.force,
                    settings: common.settings))
        }
    }
}
