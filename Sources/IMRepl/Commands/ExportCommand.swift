import ArgumentParser
import IMExport
import IMShell

extension ImreplCommand {
    struct Export: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.export.rawValue, abstract: TerminalCommand.export.abstract,
            discussion: """
                EXAMPLES:
                  imrepl export last --as html                  a page to look at, beside the recording
                  imrepl export kick.pcapng --as mermaid        a sequence diagram for an issue
                  imrepl export kick.pcapng --as md -o bug.md   a report
                  imrepl export last --as ndjson | jq .text     every event as JSON
                  imrepl export last --as perfetto              a trace for ui.perfetto.dev
                  imrepl export last --as otlp                  OpenTelemetry's JSON, a trace for each login
                  imrepl export last --as script -o kick.imr    a script that makes the session anew
                  imrepl export last --as swift-test            the same as a unit test

                The page needs nothing but a browser: no network, no other file. '?' in it shows its keys.
                """)

        @Argument(help: "A recording or 'last'.")
        var file: String

        @Option(name: .customLong("as"), help: ArgumentHelp("The form.", valueName: "form"))
        var format: ExportFormat

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Where to write; '-' for the standard output. A page or a trace goes beside the recording by itself.",
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
