import ArgumentParser
import IMShell

extension ReportRequest.Form: ExpressibleByArgument {}

extension ImreplCommand {
    struct Report: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.report.rawValue, abstract: TerminalCommand.report.abstract,
            discussion: """
                EXAMPLES:
                  imrepl report last --note 'phone was kicked; I expected both to stay'
                  imrepl report kick.pcapng --note-file note.txt --redact -o for-you.pcapng
                  imrepl report last --as markdown -o bug --redact   a folder for an issue: README.md and the recording
                  imrepl report --print imbug-kick.pcapng       the parts of a report, as markdown
                  imrepl replay imbug-kick.pcapng               what the receiver runs

                The file is the recording. After its events it contains the note, a summary, the versions and a \
                readable report. Every subcommand accepts it as a recording, and Wireshark opens it.
                """)

        @Argument(help: "A recording, a name from 'sessions', or 'last'.")
        var file: String

        @Option(help: ArgumentHelp("What happened and what was expected.", valueName: "text"))
        var note: String?

        @Option(help: ArgumentHelp("The note from a file; '-' is the standard input.", valueName: "file"))
        var noteFile: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The output file; by default imbug-NAME.pcapng, or imbug-redacted.pcapng with --redact; '-' is the "
                    + "standard output.",
                valueName: "file"))
        var output: String?

        @Option(
            name: .customLong("as"),
            help: ArgumentHelp("recording (one file), or markdown (a folder for an issue tracker).", valueName: "form"))
        var form = ReportRequest.Form.recording

        @Flag(help: "Replace users, device names and message texts by pseudonyms.")
        var redact = false

        @OptionGroup var forceOption: ForceOption

        @Flag(help: "Print the parts of an existing report as markdown.")
        var print = false

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard note == nil || noteFile == nil else {
                throw ValidationError("--note and --note-file cannot both be given")
            }
            guard !print || (note == nil && noteFile == nil && output == nil && !redact && !forceOption.force) else {
                throw ValidationError("--print creates no report and takes no other options")
            }
            guard form == .recording || !print else {
                throw ValidationError("--print creates no report and takes no other options")
            }
            guard form == .recording || output != "-" else {
                throw ValidationError("-o needs a folder for --as markdown")
            }
            guard output != "" else { throw ValidationError("-o needs a file; '-' is the standard output") }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.report(
                ReportRequest(
                    file: file, prints: print, note: note.map { .text($0) } ?? noteFile.map { .file($0) },
                    target: output, form: form, isRedacted: redact, overwrites: forceOption.force,
                    settings: common.settings(jsonOption)))
        }
    }
}
