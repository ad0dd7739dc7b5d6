import IMShell
import Testing

/// Tests of the search for an app's login code in `imrepl app init`.
@Suite struct AppLoginTests {
    @Test func theClassThatCallsTheSDKIsFound() throws {
        let login = try #require(
            AppLogin(
                in: [
                    """
                    final class LoginPage {
                        func loginTapped() { ChatSession.shared.enter(user: "", token: "") { _ in } }
                    }
                    """,
                    """
                    @objcMembers
                    final class ChatSession: NSObject {
                        static let stateChanged = Notification.Name("changed")
                        static let shared = ChatSession()
                        private(set) var state: SessionState = .signedOut
                        func configure(appKey: String) {
                            AgoraChatClient.shared().initializeSDK(with: AgoraChatOptions(appkey: appKey))
                        }
                        func enter(user: String, token: String, completion: @escaping (Error?) -> Void) {
                            AgoraChatClient.shared().login(withUsername: user, agoraToken: token) { _, _ in }
                        }
                        func signOut(_ mode: Mode, _ done: (() -> Void)? = nil) async throws {}
                    }
                    """,
                ], calls: ["login(with"]))
        #expect((login.type, login.instance) == ("ChatSession", "ChatSession.shared"))
        #expect(login.setup == "app.configure(appKey: \"org#app\")")
        #expect(login.login == "app.enter(user: \"alice\", token: token, completion: { _ in })")
        #expect(login.logout == "Task { try? await app.signOut(<#Mode#>) }")
        #expect((login.loggedInProperty, login.stateProperty) == (nil, "state"))
    }

    @Test func withoutACallOfTheSDKTheNameCounts() {
        let text = """
            class Wrapper {
                var isLoggedIn = false
                init(user: String, onEnd: @escaping (Int, [String: Int]) -> Void, retries: Int = 3) {}
                private func login() { self.login(again: true) }
                func signIn() { service.start() }
            }
            """
        let login = AppLogin(in: [text], calls: ["login("])
        #expect(login?.instance == "Wrapper(user: \"alice\", onEnd: { _, _ in })")
        #expect((login?.login, login?.loggedInProperty) == ("app.signIn()", "isLoggedIn"))
        #expect(AppLogin(in: ["struct Nothing {}"], calls: ["login("]) == nil)
    }
}
