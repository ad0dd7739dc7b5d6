import NIMSDK
import SimulatedApp
import Testing

/// A page of conversations, with what it was told of them.
@MainActor
private final class Page: NIMConversationManagerDelegate {
    var told: [String] = []

    init() {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        NIMSDK.shared().conversationManager.add(self)
    }

    nonisolated func didAdd(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {
        note("added", recentSession, totalUnreadCount)
    }

    nonisolated func didUpdate(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {
        note("updated", recentSession, totalUnreadCount)
    }

    private nonisolated func note(_ what: String, _ session: NIMRecentSession, _ unread: Int) {
        let words = [
            what, session.session?.sessionId ?? "", session.lastMessage?.text ?? "", "\(session.unreadCount)",
            "\(unread)",
        ].joined(separator: " ")
        MainActor.assumeIsolated { told.append(words) }
    }
}

@Suite struct NIMConversationTests {
    @Test func aMessageAddsOrUpdatesItsConversation() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let page = try phone.launch { Page() }
            let token = simulation.token(for: "alice")
            try await phone.run { try await NIMSDK.shared().loginManager.login("alice", token: token) }
            try simulation.script(
                """
                client new pad --platform ios
                client new tab --platform ios
                @pad login bob
                @tab login carol
                wait 1s
                @pad send alice one
                wait 1s
                @tab send alice two
                wait 1s
                @pad send alice three
                wait 1s
                """)
            #expect(page.told == ["added bob one 1 1", "added carol two 1 2", "updated bob three 2 3"])
            try phone.perform { NIMSDK.shared().conversationManager.remove(page) }
            try simulation.script("@pad send alice four\nwait 1s")
            #expect(page.told.count == 3)
        }
    }
}
