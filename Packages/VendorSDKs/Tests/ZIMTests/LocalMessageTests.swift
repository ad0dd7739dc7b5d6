import SimulatedApp
import Testing
import ZIM

/// Messages in local data (ZIM-9), offline.
@MainActor
@Suite struct LocalMessageTests {
    @Test func messages() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
            let zim = app.zim
            let page = try await device.run { await app.history("bob", count: 2) }
            #expect(page.messages.map(\.words) == ["call the caretaker", "image"])
            let older = try await device.run { await app.history("bob", count: 10, before: page.messages.first) }
            #expect(older.messages.map(\.words) == ["combine", "the LIFT is broken"])
            let group = try #require(try await device.run { await app.history("tea", .group) }.messages.first)
            let (lift, combined) = (older.messages[1], try #require(older.messages[0] as? ZIMCombineMessage))
            #expect(lift.reactions.map { "\($0.reactionType) \($0.totalCount)" } == ["thumbs 1"])
            try device.perform {
                let search = ZIMMessageSearchConfig()
                search.count = 1
                search.keywords = ["lift"]
                zim.searchGlobalLocalMessages(with: search) { list, next, _ in
                    app.note("\(list.map(\.words)) \(next === list.last)")
                    search.nextMessage = next
                    search.count = 10
                    zim.searchGlobalLocalMessages(with: search) { list, next, _ in
                        app.note("\(list.map(\.words)) \(next == nil)")
                    }
                }
                let here = ZIMMessageSearchConfig()
                here.count = 10
                here.keywords = ["lift", "broken"]
                zim.searchLocalMessages(by: "bob", conversationType: .peer, config: here) { id, _, list, next, _ in
                    app.note("\(id) \(list.map(\.words)) \(next == nil)")
                }
                zim.queryMessageReceiptsInfo(
                    by: [page.messages[0], ZIMTextMessage(message: "new")], conversationID: "bob",
                    conversationType: .peer
                ) { app.note("\($0.count) \($1.count) \($2.code)") }
                zim.queryMessageReceiptsInfo(
                    by: [page.messages[0]], conversationID: "bob", conversationType: .peer
                ) { infos, unknown, _ in app.note("\(infos.map { "\($0.status) \($0.readMemberCount)" }) \(unknown)") }
                let reactions = ZIMMessageReactionUserQueryConfig()
                reactions.count = 10
                reactions.reactionType = "thumbs"
                zim.queryMessageReactionUserList(by: lift, config: reactions) { _, users, type, next, total, _ in
                    app.note("\(users.map(\.userID)) \(type) \(next) \(total)")
                }
                let receipts = ZIMGroupMessageReceiptMemberQueryConfig()
                receipts.count = 10
                zim.queryGroupMessageReceiptReadMemberList(by: group, groupID: "tea", config: receipts) {
                    app.note("read by \($1.map(\.userID)) \($3.code)")
                }
                zim.queryGroupMessageReceiptUnreadMemberList(by: group, groupID: "tea", config: receipts) {
                    app.note("unread by \($1.map(\.userID)) \($3.code)")
                }
                zim.queryCombineMessageDetail(by: combined) {
                    app.note("\($0.messageList.map(\.words)) \($1.code)")
                }
            }
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    #"["lift again"] true"#, #"bob ["the LIFT is broken"] true"#, "0 0 commonModuleParamsInvalid",
                    #"["done 1"] []"#, #"["bob"] thumbs 0 1"#, #"read by ["bob"] success"#, "unread by [] success",
                    #"["one"] success"#, #"["image", "the LIFT is broken"] true"#,
                ])
        }
    }

    @Test func changesOfMessages() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
            let zim = app.zim
            let messages = try await device.run { await app.history("bob") }.messages
            let inserted = ZIMTextMessage(message: "put in")
            try device.perform {
                zim.updateMessageLocalExtendedData("noted", message: messages[1]) {
                    app.note("\($0.localExtendedData) \($1.code)")
                }
                zim.insertMessageToLocalDB(
                    inserted, conversationID: "erin", conversationType: .peer, senderUserID: "erin"
                ) { app.note("\($0.isUserInserted) \($0.messageID) \($0.localMessageID > 0) \($1.code)") }
            }
            await simulation.runDueEntries()
            #expect(app.heard == ["noted success", "true 0 true success", "erin added, 0 unread"])
            #expect(try await device.run { await app.history("bob") }.messages[1].localExtendedData == "noted")
            app.forget()
            let here = ZIMMessageDeleteConfig()
            try device.perform {
                zim.deleteMessages(
                    [messages[1]], conversationID: "bob", conversationType: .peer, config: here
                ) { app.note("one of \($0) \($2.code)") }
                zim.deleteAllMessage(by: "carol", conversationType: .peer, config: here) {
                    app.note("all of \($0) \($2.code)")
                }
            }
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    "one of bob success", "bob updated, 2 unread", "unread 2", "all of carol success",
                    "carol updated, 0 unread",
                ])
            app.forget()
            try device.perform { zim.deleteAllConversationMessages(with: here) { app.note("all \($0.code)") } }
            await simulation.runDueEntries()
            #expect(app.heard.first == "all success")
            #expect(app.heard.last == "unread 0")
            for id in ["bob", "carol", "erin"] {
                #expect(try await device.run { await app.history(id) }.messages == [])
            }
            // Deleting on the server too needs a connection.
            here.isAlsoDeleteServerMessage = true
            app.forget()
            try device.perform { zim.deleteAllConversationMessages(with: here) { app.note("all \($0.code)") } }
            await simulation.runDueEntries()
            #expect(app.heard == ["all networkModuleNetworkError"])
            // The synchronization restores no message.
            try device.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(try await device.run { await app.history("bob") }.messages == [])
        }
    }

    @Test func exportAndImport() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
            let zim = app.zim
            try device.perform {
                zim.exportLocalMessages(
                    toFolderPath: "/backup", config: ZIMMessageExportConfig(),
                    progress: { app.note("written \($0) of \($1)") }
                ) { app.note("exported \($0.code)") }
                zim.deleteAllMessage(by: "bob", conversationType: .peer, config: ZIMMessageDeleteConfig()) { _, _, _ in
                }
                zim.importLocalMessages(
                    toFolderPath: "/backup", config: ZIMMessageImportConfig(),
                    progress: { app.note("read \($0) of \($1)") }
                ) { app.note("imported \($0.code)") }
                zim.importLocalMessages(
                    toFolderPath: "/nowhere", config: ZIMMessageImportConfig(), progress: { _, _ in app.note("?") }
                ) { app.note("imported \($0.code)") }
            }
            await simulation.runDueEntries()
            #expect(
                app.heard.filter { !$0.contains("unread") } == [
                    "written 6 of 6", "exported success", "read 4 of 4", "imported success",
                    "imported commonModuleParamsInvalid",
                ])
            #expect(try await device.run { await app.history("bob") }.messages.count == 4)
        }
    }
}
