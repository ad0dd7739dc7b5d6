import LibraryScripts
import SimulatedApp
import Testing
import ZIM

private let scripts = (try? LibraryScript.all(of: "zim")) ?? []

/// The scripts of the session library, with one client driven through the module.
@MainActor
@Suite struct LibraryScriptTests {
    @Test func theScriptsAreFound() { #expect(scripts.count >= 36) }

    @Test(arguments: scripts) func theSameHappensThroughTheModule(_ script: LibraryScript) async throws {
        let outcome = try await script.play(launch: launch, perform)
        #expect(outcome.difference == nil, "\(script)")
        #expect(!outcome.performed.isEmpty, "\(script)")
    }

    @Test func aDifferenceIsReported() async throws {
        let script = try LibraryScript("common/s-12-offline-login")
        let outcome = try await script.play(launch: launch) { words, app in
            try perform(words.first == "send" ? ["send", "bob", "another text"] : words, of: app)
        }
        #expect(outcome.difference?.contains("the module:") == true)
        #expect(outcome.difference?.contains("another text") == true)
        #expect(outcome.difference?.contains("hello") == true)
    }

    /// What the app stores: its instance, and the messages that it has sent.
    private final class App {
        let zim: ZIM
        var sent: [ZIMTextMessage] = []

        init?() {
            guard let zim = ZIM.create(with: ZIMAppConfig()) else { return nil }
            self.zim = zim
        }

        func send(_ message: ZIMTextMessage, to user: String) {
            zim.sendMessage(
                message, toConversationID: user, conversationType: .peer, config: ZIMMessageSendConfig(),
                notification: nil
            ) { _, _ in }
        }
    }

    private func launch(_ script: ScriptApp) { script.objects["app"] = App() }

    private func perform(_ words: [String], of script: ScriptApp) throws -> Bool {
        guard let app = script.objects["app"] as? App else { return false }
        switch (words[0], words.count) {
        case ("login", 2): login(words[1], token: script.token(for: words[1]), app)
        case ("login", 3) where words[2] == "--offline": login(words[1], token: "", isOffline: true, app)
        case ("login", 4) where words[2] == "--token": login(words[1], token: words[3], app)
        case ("login", 4) where words[2] == "--ttl":
            guard let lifetime = Self.duration(words[3]) else { return false }
            login(words[1], token: script.simulation.token(for: words[1], lifetime: lifetime), app)
        case ("logout", 1): app.zim.logout()
        case ("renew-token", 1):
            guard let user = script.user else { return false }
            app.zim.renewToken(script.simulation.token(for: user)) { _, _ in }
        case ("renew-token", 3) where words[1] == "--token": app.zim.renewToken(words[2]) { _, _ in }
        case ("send", 3):
            let message = ZIMTextMessage(message: words[2])
            app.sent.append(message)
            app.send(message, to: words[1])
        case ("resend", 1):
            guard let message = app.sent.first(where: { $0.sentStatus == .sendFailed }) else { return false }
            app.send(message, to: message.conversationID)
        case ("subscribe", 2):
            app.zim.subscribeUsersStatus(by: [words[1]], config: ZIMUserStatusSubscribeConfig()) { _, _ in }
        // The script expects the shell's output of this call.
        case ("call", 3) where words[1...] == ["searchGlobalLocalMessagesWithConfig", "keywords=lift"]: return false
        case ("call", _): return LibraryCalls(words, app.zim)?.make() ?? false
        default: return false
        }
        return true
    }

    private func login(_ user: String, token: String, isOffline: Bool = false, _ app: App) {
        let config = ZIMLoginConfig()
        config.token = token
        config.isOfflineLogin = isOffline
        app.zim.login(withUserID: user, config: config) { _ in }
    }

    /// A duration as scripts write it, such as `10m`.
    private static func duration(_ word: String) -> Duration? {
        guard let number = Int64(word.dropLast()) else { return nil }
        switch word.last {
        case "s": return .seconds(number)
        case "m": return .seconds(number * 60)
        case "h": return .seconds(number * 3600)
        default: return nil
        }
    }
}
