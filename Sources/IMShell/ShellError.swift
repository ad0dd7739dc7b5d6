/// The reason why something cannot start or end, in one line with the remedy.
///
/// A failed command of the shell throws a `CommandFailure` instead, and the shell continues.
public struct ShellError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure; the program has an exit code for each.
    public enum Reason: Sendable {
        /// The command ran, and an expectation failed.
        case failed
        /// The request is invalid, and nothing of it was done.
        case usage
        /// The environment does not allow it, for example no connection, no file or no permission.
        case environment
        /// A session file cannot be read.
        case unreadable
    }

    /// One line or more, for a person.
    public var message: String
    /// The kind of the failure.
    public var reason: Reason

    package init(message: String, reason: Reason) {
        self.message = message
        self.reason = reason
    }

    /// The message.
    public var description: String { message }
}
