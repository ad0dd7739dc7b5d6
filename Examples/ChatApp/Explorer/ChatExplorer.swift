import NIMSDK
import SimulatedApp

/// The explorer of both versions. It is compiled into the tests of each, together with its `LoginManager`.
@MainActor
let explorer = AppExplorer(
    "nim", launch: { LoginManager(user: "alice", token: $0) },
    taps: ["log in": { $0.login() }, "log out": { $0.logout() }], shown: { $0.isLoggedIn }, busy: { $0.isBusy },
    check: { app, _ in app.complaint }, loginTap: "log in")

extension LoginManager {
    /// The page must show the conversations of the device.
    fileprivate var complaint: String? {
        guard isLoggedIn else { return conversations.isEmpty ? nil : "the page shows what is another user's by now" }
        let kept = NIMSDK.shared().conversationManager.allRecentSessions() ?? []
        if kept.count != conversations.count { return "the page lacks conversations that the device has" }
        let isCurrent = kept.allSatisfy { conversations[$0.session?.sessionId ?? ""] == $0.lastMessage?.text }
        return isCurrent ? nil : "the page shows an older message than the device has"
    }
}
