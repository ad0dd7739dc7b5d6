import IMCheckers
import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO

extension ScenarioDriver {
    /// True if the scenario is about deletions. The decision uses its own random stream, so it does not change the
    /// random numbers of other decisions.
    func drawsDeletions() -> Bool {
        guard policy.features.contains(.localCalls), clients.count > 1 else { return false }
        var own = SeededRandom(seed: seed ^ 0x6465_6C65_7465)
        return own.below(12) == 0
    }

    /// A user with two devices receives messages, while one device may be disconnected. Some messages are deleted on
    /// the server. The conversation is read, pinned and removed from the list (ZIM-9, CHAT-9).
    mutating func deletedOnServer() {
        set("exclusion", ServerPolicy.Exclusion.unlimited.rawValue)
        let (client, away) = (clients[0], clients[1])
        let user = pick(users)
        let friend = other(thanUser: user)
        let peer = ConversationID(kind: .peer, id: friend)
        steps.append(.server(.addAccount(user)))
        ensureOnline(client, user)
        ensureOnline(away, user)
        var ids: [String] = []
        for round in 0...(1 + random.below(2)) {
            if round > 0, random.below(3) != 0 { leave(away) }
            for _ in 0...random.below(3) {
                let id = text()
                ids.append(id)
                let message = LocalMessage(id: id, conversation: peer, sender: friend, text: id, timestamp: 0)
                steps.append(.server(.putChange(user: user, LocalChange.message(message).record())))
                wait(pick([.milliseconds(15), .milliseconds(50), .seconds(1)]))
            }
            for _ in 0...random.below(3) {
                deleteSomething(client, peer, ids)
                wait(pick([.milliseconds(15), .milliseconds(50), .seconds(1)]))
            }
            app(away, .start)
            net(away, .clear)
            if random.below(2) == 0 { steps.append(ScenarioStep(away, .login(user: user, .manual, lifetime: nil))) }
            reachQuiescence()
        }
        wait(RecoveryTimes.recoveryLimit(dialect))
    }

    private mutating func leave(_ client: String) {
        switch random.below(4) {
        case 0: app(client, .kill)
        case 1: command(client, .logout(keepsPush: false))
        case 2: net(client, .halfOpen)
        default: net(client, .down)
        }
        wait(pick([.milliseconds(50), .seconds(1)]))
    }

    private mutating func deleteSomething(_ client: String, _ peer: ConversationID, _ ids: [String]) {
        let conversationKey = [("conversationID", peer.id), ("conversationType", peer.kind.name)]
        let messages = ("isAlsoDeleteServerMessage", "true")
        let conversations = ("isAlsoDeleteServerConversation", "true")
        let request: LocalRequest
        switch random.below(9) {
        case 0, 1, 2: request = LocalRequest(.deleteMessages, conversationKey + [("messageList", pick(ids)), messages])
        case 3: request = LocalRequest(.deleteAllMessage, conversationKey + [messages])
        case 4: request = LocalRequest(.deleteConversation, conversationKey + [conversations])
        case 5: request = LocalRequest(.deleteAllConversationMessages, [messages])
        case 6: request = LocalRequest(.clearConversationUnreadMessageCount, conversationKey)
        case 7:
            var conversation = LocalConversation(id: peer)
            conversation.isPinned = random.below(2) == 0
            return command(client, .change(LocalChange.conversation(conversation).record()))
        default: return command(client, .change(LocalChange.messageRevoked(id: pick(ids)).record()))
        }
        command(client, .call(request))
    }
}
