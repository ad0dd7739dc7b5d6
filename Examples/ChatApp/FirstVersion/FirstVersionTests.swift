import NIMSDK
import SimulatedApp
import Testing

/// A search finds what is wrong with the first version, each mistake with its shortest scenario.
@MainActor
@Suite struct FirstVersionTests {
    private let explorer = AppExplorer(
        "nim", launch: { LoginManager(user: "alice", token: $0) },
        taps: ["log in": { $0.login() }, "log out": { $0.logout() }], shown: { $0.isLoggedIn }, busy: { $0.isBusy },
        check: { app, _ in app.complaint })

    @Test func aSearchFindsFiveMistakes() async throws {
        // `0..<400` finds them all too, and takes a minute.
        let failures = try await explorer.search(0..<48) + explorer.search(360..<366)
        for failure in failures { print("\(failure)\n") }
        let found = failures.map(\.violation.text)
        let mistakes = [
            "before NIMSDK.register", "it retries by itself", "the app is busy", "lacks conversations",
            "an older message",
        ]
        for mistake in mistakes { #expect(found.contains { $0.contains(mistake) }, "\(mistake)") }
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
