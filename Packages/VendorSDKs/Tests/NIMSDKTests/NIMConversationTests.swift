import LibraryScripts
import NIMSDK
import SimulatedApp
import Testing

/// A list of conversations, with the events that it got.
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

    nonisolated func onBatchMarkMessagesRead(in sessions: [NIMSession]) {
        MainActor.assumeIsolated { told.append("batch read " + sessions.map(\.sessionId).joined(separator: " ")) }
    }

    nonisolated func allMessagesRead() { MainActor.assumeIsolated { told.append("all read") } }

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

    @Test func aReadConversationStaysRead() async throws {
        var session: [UInt8] = []
        try await withSimulation("nim", report: { session = $0.session }) { simulation in
            let phone = simulation.device("phone")
            var page = try phone.launch { Page() }
            let token = simulation.token(for: "alice")
            let bob = NIMSession("bob", type: .P2P)
            var manager: any NIMConversationManager { NIMSDK.shared().conversationManager }
            try phone.perform {
                // No user's data is open.
                #expect(manager.recentSession(by: bob) == nil)
                #expect(manager.messages(in: bob, message: nil, limit: 9) == nil)
                manager.markAllMessagesRead()
            }
            try await phone.run { try await NIMSDK.shared().loginManager.login("alice", token: token) }
            try simulation.script(
                """
                client new pad --platform ios
                client new tab --platform ios
                @pad login bob
                @tab login carol
                wait 1s
                @pad send alice one
                @tab send alice two
                wait 1s
                @pad send alice three
                wait 1s
                """)
            try phone.perform {
                #expect(manager.allUnreadCount(true) == 3)
                #expect(manager.recentSession(by: bob)?.unreadCount == 2)
                #expect(manager.recentSession(by: NIMSession("bob", type: .team)) == nil)
                let all = manager.messages(in: bob, message: nil, limit: 9) ?? []
                #expect(all.map(\.text) == ["one", "three"])
                #expect(manager.messages(in: bob, message: nil, limit: 1)?.map(\.text) == ["three"])
                #expect(manager.messages(in: bob, message: all.last, limit: 9)?.map(\.text) == ["one"])
                #expect(manager.messages(in: bob, message: nil, limit: -1)?.isEmpty == true)
                let ids = all.suffix(1).map(\.messageId)
                #expect(manager.messages(in: bob, messageIds: ids)?.map(\.text) == ["three"])
                page.told = []
                manager.markAllMessagesRead(in: bob)
                manager.markAllMessagesRead(in: bob)
                #expect(manager.recentSession(by: bob)?.unreadCount == 0)
                #expect(manager.allUnreadCount() == 1)
            }
            await simulation.runDueEntries()
            #expect(page.told == ["updated bob three 0 1"])

            // Also in another process, and not for messages that arrive later.
            try phone.kill()
            page = try phone.launch { Page() }
            try phone.perform { NIMSDK.shared().loginManager.autoLogin("alice", token: token) }
            try simulation.script("wait 2s\n@pad send alice four\nwait 1s")
            #expect(page.told == ["updated bob four 1 2"])
            page.told = []
            try phone.perform {
                manager.markAllMessagesRead()
                #expect(manager.allUnreadCount() == 0)
            }
            await simulation.runDueEntries()
            #expect(page.told == ["all read"])

            try simulation.script("@pad send alice five\n@tab send alice six\nwait 1s")
            page.told = []
            var completions: [String] = []
            try phone.perform {
                let sessions = [bob, NIMSession("carol", type: .P2P)]
                #expect(manager.messages(in: bob, message: nil, limit: 1)?.map(\.messageType) == [.text])
                manager.batchMarkMessagesRead(in: sessions) { completions.append("batch \($0 == nil) \($1 == nil)") }
                manager.markAllMessagesRead(in: bob) { completions.append("one \($0 == nil)") }
                #expect(manager.allUnreadCount() == 0)
            }
            await simulation.runDueEntries()
            #expect(page.told == ["batch read bob carol"])
            #expect(completions == ["batch true true", "one true"])
        }
        #expect(try ShellSession.marks(of: session).contains("[phone] markAllMessagesRead(in: bob)"))
    }
}
