/// How the program ends; the raw value is its exit code.
enum Outcome: Int32, CaseIterable, Sendable {
    case ok = 0
    /// A command or an expectation failed.
    case failed = 1
    /// The command line or a script could not be read, and nothing was run.
    case usage = 2
    /// No connection, no file, no right: the environment does not allow it.
    case environment = 3
    /// A replay came to another result than its recording.
    case diverged = 4
    /// A session file cannot be read.
    case unreadable = 5
    /// A fault of this program.
    case internalError = 70
    /// `--watchdog` ran out.
    case watchdog = 124
    /// SIGINT.
    case interrupted = 130
    /// SIGTERM.
    case terminated = 143
}
