/// The error for a world, a recording or a file that cannot be opened or closed, with a hint how to avoid it.
///
/// A command of the shell that fails throws a `CommandFailure` instead, and the shell continues.
public struct ShellError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure. The program has an exit code for each kind.
    public enum Reason: Sendable {
        /// The script or the command ran, but an expectation failed.
        case failed
        /// The request is invalid. Nothing was done.
        case usage
        /// The environment prevents the request: for example, there is no connection, no file or no permission.
        case environment
        /// A session file cannot be read.
        case unreadable
    }

    /// The error and the hint, in one or several lines.
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
