import ArgumentParser
import IMShell

extension ImreplCommand {
    struct MCP: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.mcp.rawValue, abstract: TerminalCommand.mcp.abstract,
            discussion: """
                EXAMPLES:
                  imrepl mcp                     for the recordings and logs in this folder
                  imrepl mcp logs --allow-run

                The agent starts it as a subprocess. Both exchange JSON-RPC messages on standard input and output, \
                one a line, in version 2026-07-28 of the protocol or an older one. Each tool answers one question: \
                list_sessions, import_log, events, state_at, why, why_not, what_if, reproduce, help. They read \
                files in the folder and write none. With --allow-run, run_script also runs a scenario in a \
                simulated world that is not recorded.
                """)

        @Argument(help: "The folder; files outside it are not read.")
        var folder = "."

        @Flag(help: "Also offer run_script, which runs a scenario in a simulated world.")
        var allowRun = false

        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.mcp(MCPRequest(folder: folder, runsScripts: allowRun, settings: common.settings))
        }
    }
}

struct MCPRequest: Equatable, Sendable {
    /// Only files below this folder are read.
    var folder: String
    /// True if the agent may run scenarios.
    var runsScripts: Bool
    var settings: CommonSettings
}
