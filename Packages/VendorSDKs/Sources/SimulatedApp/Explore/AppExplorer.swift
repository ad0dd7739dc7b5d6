import IMProtocol
import VirtualTime

/// Looks for scenarios in which an app does something that it must not do, and makes them short.
///
/// A seed is a scenario: which taps, faults, other devices and waits, in which order what is due together happens, and all
/// chance of the network. The same seed is the same scenario, with the same session, on every machine.
@MainActor
public struct AppExplorer<App: AnyObject> {
    /// The vendor, such as `nim`.
    public var profile: String
    /// Builds the app's objects, as its `main` does; in the app's process.
    public var launch: @MainActor (_ token: String) throws -> App
    /// What its user can do, by names.
    public var taps: KeyValuePairs<String, @MainActor (App) -> Void>
    /// Whether the app shows a user as logged in.
    public var shown: @MainActor (App) -> Bool
    /// Whether the app shows that it is busy; at rest it must not (C-1).
    public var busy: @MainActor (App) -> Bool
    /// What else must hold at rest: nil, or what is wrong.
    public var check: @MainActor (App, Simulation) -> String?
    /// Calls of the app that tell their end to who made them, by names: each must tell it once (C-1).
    public var calls: KeyValuePairs<String, @MainActor (App, @escaping @Sendable () -> Void) -> Void>
    /// Objects that the app has now, and not for ever, as those of a login or of a page: once it has them no more, they
    /// must be gone at rest (C-4).
    public var parts: @MainActor (App) -> [AnyObject]
    /// The tap that logs in, by its name: at the end, where the app shows no login, it must lead to one. Nil for no such
    /// check.
    public var loginTap: String?
    /// Who is logged in.
    public var user = "alice"
    /// How the tests that ``search(_:failuresIn:)`` writes get at this explorer, in Swift.
    public var name = "explorer"

    /// - Parameters:
    ///   - profile: the vendor, such as `nim`.
    ///   - launch: builds the app's objects; gets a token that the server takes for ``user``.
    ///   - taps: what its user can do.
    ///   - shown: whether the app shows a user as logged in.
    ///   - busy: whether the app shows that it is busy.
    ///   - check: what else must hold at rest.
    ///   - calls: what else its user can do, with an end that is told.
    ///   - parts: objects that it has for a while.
    ///   - loginTap: which of the taps logs in.
    public init(
        _ profile: String, launch: @escaping @MainActor (_ token: String) throws -> App,
        taps: KeyValuePairs<String, @MainActor (App) -> Void>, shown: @escaping @MainActor (App) -> Bool,
        busy: @escaping @MainActor (App) -> Bool = { _ in false },
        check: @escaping @MainActor (App, Simulation) -> String? = { _, _ in nil },
        calls: KeyValuePairs<String, @MainActor (App, @escaping @Sendable () -> Void) -> Void> = [:],
        parts: @escaping @MainActor (App) -> [AnyObject] = { _ in [] }, loginTap: String? = nil
    ) {
        self.profile = profile
        self.launch = launch
        self.taps = taps
        self.shown = shown
        self.busy = busy
        self.check = check
        self.calls = calls
        self.parts = parts
        self.loginTap = loginTap
    }

    /// How a scenario went.
    public struct Outcome: Sendable {
        /// What the app did that it must not do, oldest first.
        public var violations: [AppViolation]
        /// The session.
        public var session: [UInt8]
        /// The same for the same run.
        public var chain: UInt64
    }
}
