/// Why something cannot be begun or ended, in one line that says what to do.
///
/// What a command of the shell comes to is a `CommandFailure` instead: that fails, and the shell goes on.
public struct ShellError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; the program has an exit code for each.
    public enum Reason: Sendable {
        /// It was carried out, and did not hold.
        case failed
        /// What was asked for cannot be understood, and nothing of it was done.
        case usage
        /// No connection, no file, no right: the environment does not allow it.
        case environment
        /// A session file cannot be read.
        case unreadable
    }

    /// One line or more, for a person.
    public var message: String
    /// What kind of failure it is.
    public var reason: Reason

    package init(message: String, reason: Reason) {
        self.message = message
        self.reason = reason
    }

    /// The message.
    public var description: String { message }
}
