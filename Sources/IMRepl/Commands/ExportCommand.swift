import ArgumentParser
import IMExport
import IMShell

extension ImreplCommand {
    struct Export: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.export.rawValue, abstract: TerminalCommand.export.abstract,
            discussion: """
                EXAMPLES:
                  imrepl export last --as html                  an HTML page beside the recording
                  imrepl export kick.pcapng --as mermaid        a sequence diagram for an issue
                  imrepl export kick.pcapng --as md -o bug.md   a report
                  imrepl export last --as ndjson | jq .text     every event as JSON
                  imrepl export last --as perfetto              a trace for ui.perfetto.dev
                  imrepl export last --as otlp                  OpenTelemetry JSON, one trace for each login
                  imrepl export last --as script -o kick.imr    a script that repeats the session
                  imrepl export last --as swift-test            the same as a unit test

                The page needs only a browser: no network, no other file. '?' shows its keys.
                """)

        @Argument(help: "A recording or 'last'.")
        var file: String

        @Option(name: .customLong("as"), help: ArgumentHelp("The format.", valueName: "form"))
        var format: ExportFormat

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The output file; '-' is the standard output. By default a page or a trace is written beside the "
                    + "recording.",
                valueName: "file"))
        var output: String?

        @OptionGroup var forceOption: ForceOption

        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.export(
                ExportRequest(
                    file: file, format: format, target: output, overwrites: forceOption.force, settings: common.settings
                ))
        }
    }
}
