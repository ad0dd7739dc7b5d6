import AgoraChat
import LibraryScripts
import SimulatedApp
import Testing

private let scripts = (try? LibraryScript.all(of: "agora-chat")) ?? []

/// The scripts of the session library, with the phone driven through the module.
@MainActor
@Suite struct LibraryScriptTests {
    @Test func theScriptsAreFound() { #expect(scripts.count >= 31) }

    @Test(arguments: scripts) func theSameHappensThroughTheModule(_ script: LibraryScript) async throws {
        let outcome = try await script.play(perform)
        #expect(outcome.difference == nil, "\(script)")
        #expect(!outcome.performed.isEmpty, "\(script)")
    }

    /// Scripts in which a client other than the phone uses the module; it makes calls that no phone makes.
    private nonisolated static let others = [
        ("chat-02-four-of-a-platform", "e"), ("chat-04-login-id", "pc"), ("chat-06-calls-without-a-login", "outside"),
        ("chat-08-chat-rooms", "peer"), ("chat-08-contacts", "pc"), ("chat-08-conversations", "pc"),
        ("chat-08-groups", "peer"), ("chat-08-operations", "pc"), ("chat-08-threads", "peer"),
        ("chat-09-removed-messages-are-not-delivered", "pc"),
    ]

    @Test(arguments: others) func otherClientsBehaveTheSame(_ name: String, _ client: String) async throws {
        let outcome = try await LibraryScript("agora-chat/" + name, of: client).play(perform)
        #expect(outcome.difference == nil)
        #expect(!outcome.performed.isEmpty)
    }

    @Test func aDifferenceIsReported() async throws {
        let script = try LibraryScript("agora-chat/chat-12-offline-pull")
        let outcome = try await script.play { words, app in
            perform(words == ["logout"] ? ["logout", "--keep-push"] : words, of: app)
        }
        #expect(outcome.difference?.contains("logout keep-push=true") == true)
    }

    private func perform(_ words: [String], of script: ScriptApp) -> Bool {
        if words[0] == "autologin" { return words.count == 2 && logsInByItself(script) }
        let client = client(of: script, autologin: false)
        let word = words.dropFirst().first ?? ""
        switch (words[0], words.count) {
        case ("login", 2): client.login(withUsername: word, token: script.token(for: word), completion: nil)
        case ("login", 4) where words[2] == "--token":
            client.login(withUsername: word, token: words[3], completion: nil)
        case ("login", 4) where words[2] == "--ttl":
            guard let lifetime = seconds(words[3]) else { return false }
            let token = script.simulation.token(for: word, lifetime: lifetime)
            client.login(withUsername: word, token: token, completion: nil)
        case ("logout", 1): client.logout(true, completion: nil)
        case ("logout", 2) where word == "--keep-push": client.logout(false, completion: nil)
        case ("renew-token", 1):
            guard let user = script.user else { return false }
            client.renewToken(script.simulation.token(for: user), completion: nil)
        case ("renew-token", 3) where word == "--token": client.renewToken(words[2], completion: nil)
        case ("send", 3): send(words[2], to: word, .chat, client)
        case ("send", 4) where words[3] == "--channel": send(words[2], to: word, .chatRoom, client)
        case ("send", 4) where words[3] == "--group": send(words[2], to: word, .groupChat, client)
        case ("join", 2): client.roomManager?.joinChatroom(word, completion: nil)
        case ("leave", 2): client.roomManager?.leaveChatroom(word, completion: nil)
        case ("act", 3): return act(word, words[2], client)
        case ("kick", 4) where words[2] == "--user" && word == "--all":
            client.kickAllDevices(withUserId: words[3], token: script.token(for: words[3]), completion: nil)
        case ("kick", 4) where words[2] == "--user":
            client.kickDevice(
                withUserId: words[3], token: script.token(for: words[3]), resource: word, completion: nil)
        case ("query", 4) where word == "devices" && words[2] == "--user":
            client.getLoggedInDevicesFromServer(
                withUserId: words[3], token: script.token(for: words[3]), completion: nil)
        default: return false
        }
        return true
    }

    /// The SDK starts an automatic login when it is initialized, unless it is not allowed.
    private func logsInByItself(_ script: ScriptApp) -> Bool {
        guard script.objects["client"] == nil else { return false }
        return client(of: script, autologin: true).isLoggedIn
    }

    private func client(of script: ScriptApp, autologin: Bool) -> AgoraChatClient {
        if let known = script.objects["client"] as? AgoraChatClient { return known }
        let client = AgoraChatClient.shared()
        script.objects["client"] = client
        let options = AgoraChatOptions(appkey: "org#app")
        let core = script.simulation.world.core
        let node = core.node(named: script.device.name).map { core[$0] }
        // If no automatic login can start, the options only allow the next one.
        options.isAutoLogin = autologin || node?.client?.local.autologinAllowed != true
        // The script has already set the name of the device.
        let device = node?.device
        options.customDeviceName = device?.name
        options.customOSType = Int(device?.osType ?? 0)
        options.loginExtensionInfo = device?.ext
        client.initializeSDK(with: options)
        return client
    }

    private func send(_ text: String, to name: String, _ type: AgoraChatType, _ client: AgoraChatClient) {
        let message = AgoraChatMessage(
            conversationID: name, body: AgoraChatTextMessageBody(text: text), ext: nil)
        message.chatType = type
        client.chatManager?.send(message, progress: nil, completion: nil)
    }

    private func act(_ operation: String, _ target: String, _ client: AgoraChatClient) -> Bool {
        let contacts = client.contactManager
        let chats = client.chatManager
        switch operation {
        case "contact-remove": contacts?.deleteContact(target, isDeleteConversation: false, completion: nil)
        case "contact-accept": contacts?.approveFriendRequest(fromUser: target, completion: nil)
        case "contact-decline": contacts?.declineFriendRequest(fromUser: target, completion: nil)
        case "contact-ban": contacts?.addUser(toBlackList: target, completion: nil)
        case "contact-allow": contacts?.removeUser(fromBlackList: target, completion: nil)
        case "conversation-pinned": chats?.pinConversation(target, isPinned: true, completionBlock: nil)
        case "conversation-unpinned": chats?.pinConversation(target, isPinned: false, completionBlock: nil)
        case "conversation-read": chats?.ackConversationRead(target, completion: nil)
        case "message-read": chats?.sendMessageReadAck(target, toUser: "", completion: nil)
        case "conversation-delete":
            chats?.deleteServerConversation(
                target, conversationType: .chat, isDeleteServerMessages: true, completion: nil)
        default: return false
        }
        return true
    }

    /// A duration as scripts write it: `30s`, `10m`.
    private func seconds(_ text: String) -> Duration? {
        guard let number = Int(text.dropLast()) else { return nil }
        return text.hasSuffix("m") ? .seconds(60 * number) : text.hasSuffix("s") ? .seconds(number) : nil
    }
}
