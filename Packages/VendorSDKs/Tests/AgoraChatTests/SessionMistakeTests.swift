import AgoraChat
import Foundation
import SimulatedApp
import Testing

/// The owner of an app's connection with three common mistakes: it logs out in the callback of a kick, it has no callback
/// for a logout by the server, and it ignores the error of a logout.
private final class Session: NSObject, AgoraChatClientDelegate {
    enum State { case signedOut, connecting, ready, kicked }

    private(set) var state = State.signedOut
    private var client: AgoraChatClient { AgoraChatClient.shared() }

    func start() {
        client.initializeSDK(with: AgoraChatOptions(appkey: "org#app"))
        client.add(self, delegateQueue: nil)
    }

    func signIn(token: String) {
        state = .connecting
        client.login(withUsername: "alice", token: token) { [self] _, error in
            state = error == nil ? .ready : .signedOut
        }
    }

    func signOut() { client.logout(true) { [self] _ in state = .signedOut } }

    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) {
        state = aConnectionState == .connected ? .ready : .connecting
    }

    func userAccountDidLoginFromOtherDevice() {
        state = .kicked
        signOut()
    }
}

/// Mistakes that only the app's own state shows.
@MainActor
@Suite struct SessionMistakeTests {
    private func violations(_ steps: [AppScenario.Step]) async throws -> [String] {
        var known = ""
        let explorer = AppExplorer<Session>(
            "agora-chat",
            launch: { (token: String) -> Session in
                known = token
                let session = Session()
                session.start()
                return session
            },
            taps: [
                "log in": { if $0.state == .signedOut { $0.signIn(token: known) } },
                "log out": { if $0.state == .ready { $0.signOut() } },
            ],
            shown: { $0.state == .ready }, busy: { $0.state == .connecting }, kicked: { $0.state == .kicked })
        let outcome = try await explorer.play(AppScenario([.tap("log in"), .wait(2000)] + steps), seed: 1)
        return outcome.violations.map { $0.rule + " " + $0.text }
    }

    @Test func aKickThatTheAppDoesNotShowIsFound() async throws {
        let found = try await violations([
            .line("server policy device-count-max=1"), .line("client new pad --platform ios"),
            .line("@pad login alice"),
            .wait(2000),
        ])
        #expect(found == ["C-5 the app does not show that it was kicked"])
    }

    @Test func anAppThatIsBusyWithNobodyLoggedInIsFound() async throws {
        let found = try await violations([.line("server kick alice"), .wait(2000)])
        #expect(found.contains("C-1 the app is busy, and nothing is under way: nobody is logged in"), "\(found)")
    }

    @Test func aLogoutThatFailedIsFound() async throws {
        let found = try await violations([.line("@phone net half-open"), .tap("log out"), .wait(20_000)])
        let text = "the app shows no login after a logout that failed: the SDK is reconnecting"
        #expect(found.contains("C-15 \(text)"), "\(found)")
    }
}
