import IMExport
import IMShell

/// The end of the program; the raw value is its exit code. `quit CODE` makes others.
package struct Outcome: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let ok = Outcome(rawValue: 0)
    /// A command or an expectation failed.
    package static let failed = Outcome(rawValue: 1)
    /// The command line or a script could not be read, and nothing of it was run.
    package static let usage = Outcome(rawValue: 2)
    /// The environment does not allow it, for example no connection, no file or no permission.
    package static let environment = Outcome(rawValue: 3)
    /// A replay gave another result than its recording.
    package static let diverged = Outcome(rawValue: 4)
    /// A session file cannot be read.
    package static let unreadable = Outcome(rawValue: 5)
    /// An internal error of this program.
    package static let internalError = Outcome(rawValue: 70)
    /// `--watchdog` expired.
    package static let watchdog = Outcome(rawValue: 124)
    /// SIGHUP: the terminal was closed.
    package static let hungUp = Outcome(rawValue: 129)
    /// SIGINT.
    package static let interrupted = Outcome(rawValue: 130)
    /// SIGQUIT.
    package static let quitSignal = Outcome(rawValue: 131)
    /// The output's reader was closed.
    package static let unread = Outcome(rawValue: 141)
    /// SIGTERM.
    package static let terminated = Outcome(rawValue: 143)

    /// All outcomes with a name, in order.
    package static let named: [Outcome] = [
        ok, failed, usage, environment, diverged, unreadable, internalError, watchdog, hungUp, interrupted, quitSignal,
        unread, terminated,
    ]
}

extension Outcome {
    package init(_ reason: ExportError.Reason) {
        self =
            switch reason {
            case .unreadable: .unreadable
            case .impossible: .usage
            case .diverged: .diverged
            }
    }
}

extension Outcome {
    package init(_ reason: ShellError.Reason) {
        self =
            switch reason {
            case .failed: .failed
            case .usage: .usage
            case .environment: .environment
            case .unreadable: .unreadable
            }
    }
}
