import IMProtocol
import VirtualTime

/// Searches for scenarios in which an app breaks a rule, and shrinks them.
///
/// A seed decides the scenario: taps, faults, other devices and waits, the order of what is due at the same time, and
/// everything random in the network. The same seed gives the same scenario and the same session on every machine.
@MainActor
public struct AppExplorer<App: AnyObject> {
    /// The vendor, such as `nim`.
    public var profile: String
    /// Builds the app's objects, as its `main` does; in the app's process.
    public var launch: @MainActor (_ token: String) throws -> App
    /// The user's actions, by names.
    public var taps: KeyValuePairs<String, @MainActor (App) -> Void>
    /// True if the app shows a user as logged in.
    public var shown: @MainActor (App) -> Bool
    /// True if the app shows that it is busy; at quiescence it must be false (C-1).
    public var busy: @MainActor (App) -> Bool
    /// A further check at quiescence: nil, or the violation.
    public var check: @MainActor (App, Simulation) -> String?
    /// True if the app shows that another device or the server ended the login. It must be true from a kick to the
    /// user's next action (C-5). Nil for no check.
    public var kicked: (@MainActor (App) -> Bool)?
    /// Calls of the app with a completion, by names. Each must complete exactly once (C-1).
    public var calls: KeyValuePairs<String, @MainActor (App, @escaping @Sendable () -> Void) -> Void>
    /// Objects that the app has for a limited time, such as those of a login or of a page. Once they are no longer
    /// returned here, they must be gone at quiescence (C-4).
    public var parts: @MainActor (App) -> [AnyObject]
    /// The name of the tap that logs in. If the app shows no login at the end, this tap must lead to one. Nil for no
    /// such check.
    public var loginTap: String?
    /// The user who logs in.
    public var user = "alice"
    /// The Swift expression for this explorer in the tests that ``search(_:failuresIn:)`` writes.
    public var name = "explorer"

    /// - Parameters:
    ///   - profile: the vendor, such as `nim`.
    ///   - launch: builds the app's objects; gets a token that the server accepts for ``user``.
    ///   - taps: the user's actions.
    ///   - shown: true if the app shows a user as logged in.
    ///   - busy: true if the app shows that it is busy.
    ///   - check: a further check at quiescence.
    ///   - kicked: true if the app shows that another device or the server ended the login.
    ///   - calls: further actions of the user, with a completion.
    ///   - parts: objects that the app has for a limited time.
    ///   - loginTap: the tap that logs in.
    public init(
        _ profile: String, launch: @escaping @MainActor (_ token: String) throws -> App,
        taps: KeyValuePairs<String, @MainActor (App) -> Void>, shown: @escaping @MainActor (App) -> Bool,
        busy: @escaping @MainActor (App) -> Bool = { _ in false },
        check: @escaping @MainActor (App, Simulation) -> String? = { _, _ in nil },
        kicked: (@MainActor (App) -> Bool)? = nil,
        calls: KeyValuePairs<String, @MainActor (App, @escaping @Sendable () -> Void) -> Void> = [:],
        parts: @escaping @MainActor (App) -> [AnyObject] = { _ in [] }, loginTap: String? = nil
    ) {
        self.profile = profile
        self.launch = launch
        self.taps = taps
        self.shown = shown
        self.busy = busy
        self.check = check
        self.kicked = kicked
        self.calls = calls
        self.parts = parts
        self.loginTap = loginTap
    }

    /// The outcome of a scenario.
    public struct Outcome: Sendable {
        /// The app's violations, oldest first.
        public var violations: [AppViolation]
        /// The session.
        public var session: [UInt8]
        /// A hash of the run; equal runs have the same hash.
        public var chain: UInt64
        /// What the scenario reached: state changes, callbacks, results of calls, and actions in each state.
        public var reached: Set<String> = []
    }
}
