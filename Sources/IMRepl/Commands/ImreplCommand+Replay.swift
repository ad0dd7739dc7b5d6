import ArgumentParser
import IMSession
import IMShell

/// Commands that replay a recording.
extension ImreplCommand {
    struct Replay: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.replay.rawValue, abstract: TerminalCommand.replay.abstract,
            discussion: """
                EXAMPLES:
                  imrepl replay last                               a prompt inside the newest recording
                  imrepl replay kick.pcapng -c 'goto end' -c 'rcontinue kick' -c why
                  imrepl replay kick.pcapng --script walk.imr      one command a line; '#' begins a comment
                  echo 'goto t=12.5s' | imrepl replay kick.pcapng  the same from a pipe, line by line
                  imrepl replay kick.pcapng --json                 for programs: 'imrepl help json'

                At the prompt 'help' lists the commands. A position is the number of the last event that happened.
                """)

        @Argument(help: "A recording, a name from 'sessions', or 'last'.")
        var file: String

        @Option(help: ArgumentHelp("Run the commands in this file; '-' is the standard input.", valueName: "file"))
        var script: String?

        @OptionGroup var lineOption: LineOption
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var pagerOption: PagerOption
        @OptionGroup var clockOption: ClockOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard script == nil || lineOption.lines.isEmpty else {
                throw ValidationError("-c and --script cannot both be given")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.replay(
                ReplayRequest(
                    file: file, lines: lineOption.lines, script: script, settings: common.settings,
                    asJSON: jsonOption.json, pages: !pagerOption.noPager, clock: clockOption.clock))
        }
    }
}

struct ReplayRequest: Equatable, Sendable {
    /// A file, a name from the list, or `last`.
    var file: String
    /// The commands of `-c`.
    var lines: [String]
    /// A file of commands; `-` for the standard input.
    var script: String?
    var settings: CommonSettings
    /// True to print JSON objects instead of text.
    var asJSON = false
    /// True if long answers go through a pager.
    var pages = true
    var clock = EventClock.Shown.relative
}
