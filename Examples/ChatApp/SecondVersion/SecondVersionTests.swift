import NIMSDK
import SimulatedApp
import Testing

/// The same search finds nothing in the second version.
@MainActor
@Suite struct SecondVersionTests {
    private let explorer = AppExplorer(
        "nim", launch: { LoginManager(user: "alice", token: $0) },
        taps: ["log in": { $0.login() }, "log out": { $0.logout() }], shown: { $0.isLoggedIn }, busy: { $0.isBusy },
        check: { app, _ in app.complaint })

    @Test func aSearchFindsNothing() async throws {
        let failures = try await explorer.search(0..<80)
        for failure in failures { print("\(failure)\n") }
        #expect(failures.isEmpty)
    }
}

extension LoginManager {
    /// What the page shows must be what the device has.
    fileprivate var complaint: String? {
        guard isLoggedIn else { return nil }
        let kept = NIMSDK.shared().conversationManager.allRecentSessions() ?? []
        if kept.count != conversations.count { return "the page lacks conversations that the device has" }
        let isCurrent = kept.allSatisfy { conversations[$0.session?.sessionId ?? ""] == $0.lastMessage?.text }
        return isCurrent ? nil : "the page shows an older message than the device has"
    }
}
