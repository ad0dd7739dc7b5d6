/// The subcommands of the program, which run in the terminal. The prompt also recognizes their names, so that it can
/// print that they must be typed in the terminal.
package enum TerminalCommand: String, CaseIterable, Sendable {
    case run, test, serve, load, sessions, `import`, check, follow, reproduce, fit, verify, replay, show, why
    case whyNot = "why-not"
    case diff, export, report, redact, wireshark,
        shrink, odds, vary, rehearse, app, token, mcp

    /// The names of all subcommands, in the order of the help.
    package static var names: [String] { allCases.map(\.rawValue) }

    /// A description of the subcommand in one line.
    package var abstract: String {
        switch self {
        case .run: "Run a script."
        case .test: "Run scripts as tests."
        case .serve: "Run a server for other imrepl processes."
        case .load: "Load-test a server."
        case .sessions: "List, show and search recorded sessions."
        case .import: "Convert a log of an app or an SDK to a session."
        case .check: "Check a log against the rules of the SDK."
        case .follow: "Print the events of a growing recording or log."
        case .reproduce: "Find hidden events that explain a log."
        case .fit: "Estimate the settings of an SDK from a log."
        case .verify: "Replay recordings and compare every event."
        case .replay: "Step through a recording, forwards and backwards."
        case .show: "Print the events of a recording."
        case .why: "Show the causes of an event of a recording or a log."
        case .whyNot: "Show why something did not happen."
        case .diff: "Show the first difference of two recordings."
        case .export: "Export a recording to another format."
        case .report: "Pack a recording into one file for a bug report."
        case .redact: "Replace names and texts in a recording by pseudonyms."
        case .shrink: "Make a scenario as short as possible."
        case .odds: "Count the runs in which an outcome still occurs."
        case .vary: "Change a scenario's times, losses and order until it breaks."
        case .app: "Test your app's login code, and search it for mistakes."
        case .rehearse: "Show what changes for an app with another SDK version."
        case .token: "Show the content and the mistakes of a token."
        case .mcp: "Answer an agent's questions over the Model Context Protocol."
        case .wireshark: "Install the Wireshark dissector for recordings."
        }
    }
}
