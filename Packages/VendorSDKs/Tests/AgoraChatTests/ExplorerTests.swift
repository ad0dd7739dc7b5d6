import AgoraChat
import SimulatedApp
import Testing

/// A search over scenarios of an app, with a login manager for this vendor.
@MainActor
@Suite struct ExplorerTests {
    private func explorer(
        mayLogIn: @escaping @MainActor (ChatManager) -> Bool
    ) -> AppExplorer<ChatManager> {
        AppExplorer<ChatManager>(
            "agora-chat",
            launch: { token in
                let app = ChatManager()
                app.fetchToken = { _ in token }
                app.start()
                return app
            },
            taps: [
                "log in": { app in Task { if mayLogIn(app) { try? await app.login("alice") } } },
                "log out": { app in Task { await app.logout() } },
                "write": { app in Task { try? await app.send("hello", to: "bob") } },
            ],
            shown: { $0.state == .connected || $0.state == .connecting })
    }

    /// A user who taps twice logs in twice, because the SDK has no user logged in yet.
    @Test func aSecondTapIsFound() async throws {
        let failures = try await explorer { _ in !AgoraChatClient.shared().isLoggedIn }.search(5..<6)
        #expect(failures.map(\.violation.text) == ["a login while another one is under way"])
        #expect(failures.map(\.violation.rule) == ["C-2"])
    }

    @Test func nothingElseIsFound() async throws {
        let failures = try await explorer {
            $0.state != .loggingIn && !AgoraChatClient.shared().isLoggedIn
        }.search(1..<25)
        #expect(failures.map(\.violation.text) == [])
    }
}
