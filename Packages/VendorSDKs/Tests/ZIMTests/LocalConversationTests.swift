import Foundation
import SimulatedApp
import Testing
import ZIM

/// Conversations in local data (ZIM-9), offline.
@MainActor
@Suite struct LocalConversationTests {
    @Test func conversations() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
            let zim = app.zim
            let (first, _) = try await device.run { await app.conversationList(count: 2) }
            #expect(first.map(\.conversationID) == ["carol", "tea"])
            #expect(first.map { $0.lastMessage?.words } == ["lift again", "hi"])
            #expect(first[0].conversationName == "Carol")
            #expect(first[0].isPinned)
            let (second, _) = try await device.run { await app.conversationList(count: 2, behind: first[1]) }
            #expect(second.map(\.conversationID) == ["bob"])
            #expect(second.map(\.type) == [.peer])
            #expect(try await device.run { await app.conversationList(behind: second[0]).list } == [])
            // Also after a conversation that is not the last one of its page.
            #expect(
                try await device.run { await app.conversationList(behind: first[0]).list.map(\.conversationID) }
                    == ["tea", "bob"])
            try device.perform {
                zim.queryConversation(by: "bob", conversationType: .peer) {
                    app.note("\($0.unreadMessageCount) \($0.lastMessage?.type == .image) \($1.code)")
                }
                zim.queryConversation("nobody", conversationType: .peer) { app.note("\($1.code)") }
                zim.queryConversation("lobby", conversationType: .room) { app.note("\($1.code)") }
                let page = ZIMConversationQueryConfig()
                page.count = 10
                zim.queryConversationPinnedList(with: page) { list, _ in app.note("\(list.map(\.conversationID))") }
                let option = ZIMConversationFilterOption()
                option.isOnlyUnreadConversation = true
                option.pinnedFilter = .onlyUnpinned
                option.conversationTypes = [NSNumber(value: ZIMConversationType.peer.rawValue)]
                zim.queryConversationList(with: page, option: option) { list, _ in
                    app.note("\(list.map(\.conversationID))")
                }
                let search = ZIMConversationSearchConfig()
                search.totalConversationCount = 10
                search.conversationMessageCount = 1
                search.keywords = ["lift"]
                zim.searchLocalConversations(with: search) { list, next, _ in
                    app.note(
                        "\(list.map { "\($0.conversationID) \($0.totalMessageCount) \($0.messageList.count)" }) \(next)"
                    )
                }
                search.mode = .matchConversationName
                search.keywords = ["caro"]
                zim.searchLocalConversations(with: search) { list, _, _ in
                    app.note("\(list.map(\.conversation.conversationName))")
                }
            }
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    "3 true success", "conversationModuleConversationDoseNotExist", "commonModuleParamsInvalid",
                    #"["carol"]"#,
                    #"["bob"]"#, #"["bob 2 1", "carol 1 1"] 0"#, #"["Carol"]"#,
                ])
        }
    }

    @Test func changesOfConversations() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
            let zim = app.zim
            try device.perform {
                zim.setConversationDraft("dear Bob", conversationID: "bob", conversationType: .peer) {
                    app.note("draft \($0) \($2.code)")
                }
            }
            await simulation.runDueEntries()
            try device.perform {
                zim.clearConversationUnreadMessageCount(for: "bob", conversationType: .peer) {
                    app.note("read \($0) \($2.code)")
                }
            }
            await simulation.runDueEntries()
            try device.perform { zim.clearConversationTotalUnreadMessageCount { app.note("all read \($0.code)") } }
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    "draft bob success", "bob updated, 3 unread", "read bob success", "bob updated, 0 unread",
                    "unread 1", "all read success", "carol updated, 0 unread", "unread 0",
                ])
            #expect(app.conversations.first?.draft == "dear Bob")
            #expect(
                try await device.run { await app.conversationList().list.map(\.conversationID) } == [
                    "carol", "bob", "tea",
                ])
            app.forget()
            let here = ZIMConversationDeleteConfig()
            try device.perform {
                zim.deleteConversation(by: "bob", conversationType: .peer, config: here) {
                    app.note("deleted \($0) \($2.code)")
                }
            }
            await simulation.runDueEntries()
            #expect(
                try await device.run { await app.conversationList().list.map(\.conversationID) } == ["carol", "tea"])
            try device.perform { zim.deleteAllConversations(with: here) { app.note("deleted all \($0.code)") } }
            await simulation.runDueEntries()
            // As in versions before 2.28, the device that made the change gets no further event.
            #expect(app.heard == ["deleted bob success", "deleted all success"])
            #expect(try await device.run { await app.conversationList().list } == [])
        }
    }
}
