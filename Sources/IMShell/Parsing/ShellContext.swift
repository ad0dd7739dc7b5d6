import IMDebugger
import IMSession
import IMText
import SansIO

/// The actions of all commands, one method for each. `Shell` implements them for a world.
///
/// `client` is the name after `@`; nil means the current client. A method returns when the action has started; only
/// `wait` and `expect` let time pass. A method throws a `CommandFailure` if the action is refused or an expectation
/// fails. Its message is printed unchanged.
package protocol ShellContext: AnyObject {
    // The calls of the SDK's API.
    func login(_ request: LoginArguments, client: String?) throws
    /// - Parameter keepsPush: true to leave push notifications bound. Such a logout also works without a network.
    func logout(keepsPush: Bool, client: String?) throws
    func renewToken(_ credential: CredentialSource, client: String?) throws
    func kick(_ request: KickRequest, client: String?) throws
    func query(_ request: QueryRequest, client: String?) throws
    func send(_ request: SendRequest, client: String?) throws
    func call(_ call: SDKCall, client: String?) throws
    func join(channel: String, client: String?) throws
    func leave(channel: String, client: String?) throws
    /// Sets an option of the client's SDK.
    func setOption(_ option: KeyValue, client: String?) throws

    // Clients, their apps and networks, and the server.
    /// Switches the embedded world to a profile and starts a new session.
    ///
    /// - Parameter startsNewSession: true to start a new session even if the profile is already the current one.
    func use(profile: String, startsNewSession: Bool) throws
    func client(_ action: ClientAction) throws
    func app(_ action: AppAction, client: String?) throws
    func net(_ action: NetAction, client: String?) throws
    /// Sets the error of the client's wall clock: positive is ahead of the true time, negative is behind it.
    func setClockSkew(by interval: Interval, client: String?) throws
    func server(_ action: ServerAction) throws

    // Time and expectations.
    func wait(_ interval: Interval) throws
    func expect(_ clause: ExpectClause, client: String?) throws
    /// Checks a property of the whole session up to now.
    func check(_ request: CheckRequest) throws
    /// Explains an event; if the number is nil, the client's last change of state.
    func why(_ number: UInt64?, client: String?) throws
    /// Explains why no event meets a condition.
    func whyNot(_ condition: String, client: String?) throws

    // The shell's own commands.
    func record(_ action: RecordAction) throws
    func sessions(_ action: SessionsAction) throws
    func history(_ request: HistoryRequest) throws
    /// Changes a setting of the shell; shows all settings if it is nil.
    func set(_ setting: KeyValue?) throws
    func source(_ request: SourceRequest) throws
    func status() throws
    /// Draws the states of all clients from the start to now.
    func timeline() throws
    /// Ends the shell after this command. If `code` is nil, the exit code shows whether an earlier line failed.
    func quit(code: Int32?) throws
    /// Clears the screen.
    func clear() throws
    /// Prints a result, as `echo` does.
    func show(_ text: String) throws
    /// Prints the answer of `help`: the text, or the object if the output is JSON.
    func help(_ text: String, _ object: AnswerObject) throws
    /// The session library, for the sessions that `help` names.
    var library: LibraryIndex { get }
}

extension ShellContext {
    package var library: LibraryIndex { LibraryIndex() }
}

/// The reason why a command or an expectation failed.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    /// The vendor's code as the dialect prints it; nil if the failure has none.
    package var code: String?

    package init(_ message: String, code: String? = nil) {
        self.message = message
        self.code = code
    }

    package var description: String { message }
}
