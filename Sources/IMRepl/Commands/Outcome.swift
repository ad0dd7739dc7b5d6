import IMExport
import IMShell

/// The outcome of the program; its raw value is the exit code. `quit CODE` can set any other code.
package struct Outcome: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let ok = Outcome(rawValue: 0)
    /// A command or an expectation failed.
    package static let failed = Outcome(rawValue: 1)
    /// The command line or a script could not be read, and nothing of it was run.
    package static let usage = Outcome(rawValue: 2)
    /// The environment prevents the command, for example because of a missing connection, file or permission.
    package static let environment = Outcome(rawValue: 3)
    /// A replay gave a result that differs from its recording.
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
    /// The reader of the standard output has closed it.
    package static let unread = Outcome(rawValue: 141)
    /// SIGTERM.
    package static let terminated = Outcome(rawValue: 143)

    /// All outcomes above, in the order of their codes.
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
