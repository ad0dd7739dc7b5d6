/// The subcommands of the program, for those who name them at the prompt.
package enum TerminalCommand: String, CaseIterable, Sendable {
    case run, test, serve, load, sessions, `import`, check, follow, reproduce, fit, verify, replay, show, why
    case whyNot = "why-not"
    case diff, export, report, redact, wireshark,
        shrink, odds, vary, rehearse, app, token, mcp

    /// Their names, in the order of the help.
    package static var names: [String] { allCases.map(\.rawValue) }

    /// What it does, in a line.
    package var abstract: String {
        switch self {
        case .run: "Run a script."
        case .test: "Run scripts and count what passes."
        case .serve: "Be a server for other imrepl processes."
        case .load: "Put a server under load, and measure it."
        case .sessions: "List, show and search recorded sessions."
        case .import: "Make a session of a log: calls and callbacks as an app or an SDK wrote them."
        case .check: "Check whether an SDK that follows its rules can have written a log."
        case .follow: "Print the events of a recording or a log as it grows."
        case .reproduce: "Find what must have happened out of sight of a log."
        case .fit: "Estimate the numbers of an SDK that a log shows."
        case .verify: "Play recordings again and compare every event."
        case .replay: "Walk through a recording, forwards and backwards."
        case .show: "Print the events of a recording."
        case .why: "Show what led to an event of a recording or a log."
        case .whyNot: "Show what kept something from happening."
        case .diff: "Show where two recordings part."
        case .export: "Write a recording in another form."
        case .report: "Make one file of a recording to send as a bug report."
        case .redact: "Replace what a recording says of people, to show it to others."
        case .shrink: "Make a scenario as short as it gets."
        case .odds: "Count the runs in which an outcome still occurs."
        case .vary: "Change a scenario's times, losses and order until it breaks."
        case .app: "Test your own app's login code, and search it for mistakes."
        case .rehearse: "Show what an app sees differently with another version of an SDK."
        case .token: "Show what a token contains, and name its mistakes."
        case .mcp: "Answer an agent's questions over the Model Context Protocol."
        case .wireshark: "Teach Wireshark to read recordings field by field."
        }
    }
}
