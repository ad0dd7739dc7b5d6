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
                  imrepl redact kick.pcapng --keep-notes         title and marks stay, but for the names in them

                Users, devices, channels, keys and texts become pseudonyms of the same length, the same one everywhere \
                in the file. Events, their kinds, times and states stay as they are, and the result verifies; the \
                recording itself is not changed. Labels of clients, such as 'phone', stay unless they say a name.
                Exit codes: 4 the recording does not verify, 5 it cannot be read.
                """)

        @Argument(help: "A recording or 'last'.")
        var file: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Where to write; redacted.pcapng beside FILE by itself, and for a name from 'sessions' here.",
                valueName: "file"))
        var output: String?

        @Option(
            help: ArgumentHelp(
                "Also write which pseudonym stands for what, as NDJSON. Keep it: it undoes the redaction.",
                valueName: "file"))
        var map: String?

        @Flag(help: "Keep title and marks, but for the names in them.")
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
