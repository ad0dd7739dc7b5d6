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
                  imrepl report --print imbug-kick.pcapng       what is in a report, as markdown
                  imrepl replay imbug-kick.pcapng               what the receiver does

                The file is the recording, and behind its events the note, a summary, the versions and the report for \
                reading. Every subcommand takes it as a recording; Wireshark opens it.
                """)

        @Argument(help: "A recording, a name from 'sessions', or 'last'.")
        var file: String

        @Option(help: ArgumentHelp("What happened and what was expected.", valueName: "text"))
        var note: String?

        @Option(help: ArgumentHelp("The same from a file; '-' is the standard input.", valueName: "file"))
        var noteFile: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Where to write; imbug-NAME.pcapng by itself, imbug-redacted.pcapng with --redact; '-' is the standard output.",
                valueName: "file"))
        var output: String?

        @Option(
            name: .customLong("as"),
            help: ArgumentHelp("recording (one file), or markdown (a folder for an issue tracker).", valueName: "form"))
        var form = ReportRequest.Form.recording

        @Flag(help: "Put pseudonyms in place of users, device names and message texts.")
        var redact = false

        @OptionGroup var forceOption: ForceOption

        @Flag(help: "Print the parts of a report as markdown; make none.")
        var print = false

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard note == nil || noteFile == nil else {
                throw ValidationError("--note and --note-file cannot both be given")
            }
            guard !print || (note == nil && noteFile == nil && output == nil && !redact && !forceOption.force) else {
                throw ValidationError("--print makes no report, so it stands alone")
            }
            guard form == .recording || !print else {
                throw ValidationError("--print makes no report, so it stands alone")
            }
            guard form == .recording || output != "-" else {
                throw ValidationError("-o needs the name of a folder for --as markdown")
            }
            guard output != "" else { throw ValidationError("-o needs the name of a file; '-' is the standard output") }
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
