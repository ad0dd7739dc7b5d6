import LibraryScripts
import NIMSDK
import SimulatedApp
import Testing

// The module sends an automatic login from a new device, which the machine refuses (Documentation/NIMSDK.md).
private let otherwise = ["nim/nim-03-who-may-log-in-automatically"]
private let scripts = ((try? LibraryScript.all(of: "nim")) ?? []).filter { !otherwise.contains($0.name) }

/// The scripts of the session library, with the phone driven through the module.
@MainActor
@Suite struct LibraryScriptTests {
    @Test func theScriptsAreFound() { #expect(scripts.count >= 41) }

    @Test(arguments: scripts) func theSameHappensThroughTheModule(_ script: LibraryScript) async throws {
        let outcome = try await script.play(launch: launch, perform)
        #expect(outcome.difference == nil, "\(script)")
        #expect(!outcome.performed.isEmpty, "\(script)")
    }

    @Test func aDifferenceIsReported() async throws {
        let script = try LibraryScript("common/c-05-kicked-in-every-state")
        let outcome = try await script.play(launch: launch) { words, app in
            try perform(words.first == "send" ? ["send", "bob", "another text"] : words, of: app)
        }
        #expect(outcome.difference?.contains("the module:") == true)
        #expect(outcome.difference?.contains("another text") == true)
        #expect(outcome.difference?.contains("are you there?") == true)
    }

    private func launch(_ app: ScriptApp) { NIMSDK.shared().register(with: NIMSDKOption(appKey: "key")) }

    private func perform(_ words: [String], of app: ScriptApp) throws -> Bool {
        let manager = NIMSDK.shared().loginManager
        switch (words[0], words.count) {
        case ("login", 2): manager.login(words[1], token: app.token(for: words[1])) { _ in }
        case ("login", 4) where words[2] == "--token": manager.login(words[1], token: words[3]) { _ in }
        case ("autologin", 2): manager.autoLogin(words[1], token: app.token(for: words[1]))
        case ("autologin", 3) where words[2] == "--forced":
            let data = NIMAutoLoginData()
            data.account = words[1]
            data.token = app.token(for: words[1])
            data.forcedMode = true
            manager.autoLogin(data)
        case ("autologin", 4) where words[2] == "--token": manager.autoLogin(words[1], token: words[3])
        case ("logout", 1): manager.logout(nil)
        case ("kick", 2):
            let types: [String: NIMLoginClientType] = ["droid": .typeAOS, "mac": .typemacOS, "pc": .typePC]
            let others = manager.currentLoginClients() ?? []
            guard let other = others.first(where: { $0.type == types[words[1]] }) else { return false }
            manager.kickOtherClient(other, completion: nil)
        case ("send", 3):
            let message = NIMMessage()
            message.text = words[2]
            try NIMSDK.shared().chatManager.send(message, to: NIMSession(words[1], type: .P2P))
        default: return false
        }
        return true
    }
}
