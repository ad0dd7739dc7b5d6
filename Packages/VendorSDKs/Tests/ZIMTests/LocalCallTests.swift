import Foundation
import IMData
import SimulatedApp
import Testing
import ZIM

/// The 46 calls on local data (ZIM-9): each answers on the plane, and each is refused while nobody's data is open.
@MainActor
@Suite struct LocalCallTests {
    /// What the server has of alice.
    private static let data = """
        server account add alice
        server account add bob
        server account add carol
        server change alice user userID=bob userName=Bob userExtendedData=hi
        server change alice user userID=alice userName=Alice
        server change alice friend userID=bob friendAlias=Bobby attribute.team=blue
        server change alice friend-application userID=carol type=received wording=hello
        server change alice blacklist userID=dave isOn=true
        server change alice group groupID=tea groupName='Tea time' groupNotice=four attribute.room=7
        server change alice member groupID=tea userID=alice memberRole=owner
        server change alice member groupID=tea userID=bob memberNickname=B muteExpiredTime=-1
        server change alice group-application groupID=tea userID=carol type=join
        server change alice message messageID=m1 conversationID=bob senderUserID=bob message='the LIFT is broken' \
        timestamp=1767225000000
        server change alice message messageID=m2 conversationID=bob senderUserID=alice message='call the caretaker' \
        timestamp=1767225001000 wantsReceipts=true
        server change alice message messageID=m3 conversationID=bob senderUserID=bob type=image fileName=lift.png \
        fileSize=2048 timestamp=1767225002000
        server change alice message messageID=m4 conversationID=carol senderUserID=carol message='lift again' \
        timestamp=1767225003000
        server change alice read messageID=m2 userID=bob
        server change alice reaction messageID=m1 reactionType=thumbs userID=bob isOn=true
        server change alice message messageID=g1 conversationID=tea conversationType=group senderUserID=alice \
        message=hi timestamp=1767225004000 wantsReceipts=true
        server change alice read messageID=g1 userID=bob
        server change alice message messageID=k1 conversationID=bob senderUserID=bob type=combine message=two \
        part1.message=one part1.messageID=p1 part1.senderUserID=bob part1.conversationID=bob timestamp=1767224000000
        server change alice downloaded messageID=m3 timestamp=1767225005000
        server change alice conversation conversationID=carol conversationName=Carol isPinned=true
        server change alice call callID=c1 caller=bob inviter=bob userID=alice createTime=1767225000000
        """

    /// On the plane: an app that was logged in, was killed, and is logged in offline.
    private func onThePlane(_ simulation: Simulation) async throws -> (device: SimulatedDevice, app: Phone) {
        try simulation.script(Self.data)
        let device = simulation.device("phone")
        let first = try device.launch { Phone() }
        let token = simulation.token(for: "alice")
        #expect(try await device.run { await first.login("alice", token: token) } == .success)
        await simulation.run(for: .seconds(2))
        #expect(first.heard.last == "unread 4")
        try device.kill()
        try device.networkDown()
        let app = try device.launch { Phone() }
        #expect(try await device.run { await app.login("alice", token: token, isOffline: true) } == .success)
        await simulation.run(for: .seconds(1))
        #expect(app.heard.last == "unread 4")
        app.forget()
        return (device, app)
    }

    @Test func users() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
            let zim = app.zim
            try device.perform {
                zim.queryUsersInfo(by: ["bob", "nobody"], config: ZIMUsersInfoQueryConfig()) { users, unknown, error in
                    app.note("\(users.map(\.baseInfo.userName)) \(users.map(\.extendedData)) \(error.code)")
                    app.note("\(unknown.map { "\($0.userID) \($0.reason)" })")
                }
                zim.querySelfUserInfo { app.note("\($0.userFullInfo.baseInfo.userName) \($1.code)") }
                let blacklist = ZIMBlacklistQueryConfig()
                blacklist.count = 10
                zim.queryBlacklist(with: blacklist) { app.note("\($0.map(\.userID)) \($1) \($2.code)") }
                zim.checkUserIsInBlacklist(by: "dave") { app.note("dave \($0) \($1.code)") }
                zim.checkUserIsInBlacklist(by: "bob") { app.note("bob \($0) \($1.code)") }
                let friends = ZIMFriendListQueryConfig()
                friends.count = 10
                zim.queryFriendList(with: friends) { list, next, error in
                    app.note("\(list.map { "\($0.userName) \($0.friendAlias) \($0.friendAttributes)" }) \(next)")
                }
                zim.queryFriendsInfo(by: ["bob", "carol"]) { friends, unknown, _ in
                    app.note("\(friends.map(\.userID)) \(unknown.map(\.userID))")
                }
                let search = ZIMFriendSearchConfig()
                search.count = 10
                search.keywords = ["bobb"]
                zim.searchLocalFriends(with: search) { list, _, _ in app.note("by name \(list.count)") }
                search.isAlsoMatchFriendAlias = true
                zim.searchLocalFriends(with: search) { list, _, _ in app.note("by alias \(list.count)") }
                let applications = ZIMFriendApplicationListQueryConfig()
                applications.count = 10
                zim.queryFriendApplicationList(with: applications) { list, _, _ in
                    app.note("\(list.map { "\($0.applyUser.userID) \($0.type) \($0.state) \($0.wording)" })")
                }
                let ofGroups = ZIMGroupApplicationListQueryConfig()
                ofGroups.count = 10
                zim.queryGroupApplicationList(with: ofGroups) { list, _, _ in
                    app.note("\(list.map { "\($0.applyUser.userID) \($0.type) \($0.groupInfo.groupID)" })")
                }
            }
            await simulation.settle()
            #expect(
                app.heard == [
                    #"["Bob"] ["hi"] success"#, #"["nobody 6000011"]"#, "Alice success", #"["dave"] 0 success"#,
                    "dave true success", "bob false success", #"["Bob Bobby [\"team\": \"blue\"]"] 0"#,
                    #"["bob"] ["carol"]"#, "by name 0", "by alias 1", #"["carol received waiting hello"]"#,
                    #"["carol join tea"]"#,
                ])
        }
    }

    @Test func groups() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
            let zim = app.zim
            try device.perform {
                zim.queryGroupList { app.note("\($0.map(\.baseInfo.groupName)) \($1.code)") }
                let search = ZIMGroupSearchConfig()
                search.count = 10
                search.keywords = ["tea"]
                zim.searchLocalGroups(with: search) { list, _, _ in app.note("\(list.map(\.groupInfo.groupID))") }
                zim.queryGroupInfo(by: "tea") {
                    app.note("\($0.groupNotice) \($0.groupAttributes) \($0.createTime > 0) \($1.code)")
                }
                zim.queryGroupInfo(by: "coffee") { app.note("'\($0.baseInfo.groupID)' \($1.code)") }
                zim.queryGroupAttributes(by: ["room", "floor"], groupID: "tea") { app.note("\($0) \($1) \($2.code)") }
                zim.queryGroupAllAttributes(by: "tea") { app.note("\($0) \($1) \($2.code)") }
                let page = ZIMGroupMemberQueryConfig()
                page.count = 1
                zim.queryGroupMemberList(by: "tea", config: page) { _, list, next, _ in
                    app.note("\(list.map { "\($0.userID) \($0.memberRole)" }) \(next > 0)")
                    page.nextFlag = next
                    zim.queryGroupMemberList(by: "tea", config: page) { _, list, next, _ in
                        app.note("\(list.map { "\($0.userID) \($0.memberRole)" }) \(next)")
                    }
                }
                let members = ZIMGroupMemberSearchConfig()
                members.count = 10
                members.keywords = ["bo"]
                zim.searchLocalGroupMembers(by: "tea", config: members) { _, list, _, _ in
                    app.note("found \(list.map(\.userName))")
                }
                zim.queryGroupMemberInfo(by: "bob", groupID: "tea") {
                    app.note("\($0) \($1.memberNickname) \($2.code)")
                }
                zim.queryGroupMemberCount(by: "tea") { app.note("\($0) \($1) \($2.code)") }
                let muted = ZIMGroupMemberMutedListQueryConfig()
                muted.count = 10
                zim.queryGroupMemberMutedList(by: "tea", config: muted) { _, next, list, _ in
                    app.note("muted \(list.map(\.userID)) \(next)")
                }
            }
            await simulation.settle()
            #expect(
                app.heard == [
                    #"["Tea time"] success"#, #"["tea"]"#, #"four ["room": "7"] true success"#,
                    "'' commonModuleUserIsNotExist", #"tea ["room": "7"] success"#, #"tea ["room": "7"] success"#,
                    #"["alice 1"] true"#, #"found ["Bob"]"#, "tea B success", "tea 2 success", #"muted ["bob"] 0"#,
                    #"["bob 3"] 0"#,
                ])
        }
    }

    @Test func messages() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
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
            await simulation.settle()
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
            let (device, app) = try await onThePlane(simulation)
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
            await simulation.settle()
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
            await simulation.settle()
            #expect(
                app.heard == [
                    "one of bob success", "bob updated, 3 unread", "unread 3", "all of carol success",
                    "carol updated, 0 unread",
                ])
            app.forget()
            try device.perform { zim.deleteAllConversationMessages(with: here) { app.note("all \($0.code)") } }
            await simulation.settle()
            #expect(app.heard.first == "all success")
            #expect(app.heard.last == "unread 0")
            for id in ["bob", "carol", "erin"] {
                #expect(try await device.run { await app.history(id) }.messages == [])
            }
            // On the server too is for those who are connected.
            here.isAlsoDeleteServerMessage = true
            app.forget()
            try device.perform { zim.deleteAllConversationMessages(with: here) { app.note("all \($0.code)") } }
            await simulation.settle()
            #expect(app.heard == ["all networkModuleNetworkError"])
            // Nothing comes back with the sync.
            try device.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(try await device.run { await app.history("bob") }.messages == [])
        }
    }

    @Test func exportAndImport() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
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
            await simulation.settle()
            #expect(
                app.heard.filter { !$0.contains("unread") } == [
                    "written 6 of 6", "exported success", "read 4 of 4", "imported success",
                    "imported commonModuleParamsInvalid",
                ])
            #expect(try await device.run { await app.history("bob") }.messages.count == 4)
        }
    }

    @Test func conversations() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
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
            // Also behind one that did not end a page.
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
            await simulation.settle()
            #expect(
                app.heard == [
                    "3 true success", "commonModuleUserIsNotExist", "commonModuleParamsInvalid", #"["carol"]"#,
                    #"["bob"]"#, #"["bob 2 1", "carol 1 1"] 0"#, #"["Carol"]"#,
                ])
        }
    }

    @Test func changesOfConversations() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
            let zim = app.zim
            try device.perform {
                zim.setConversationDraft("dear Bob", conversationID: "bob", conversationType: .peer) {
                    app.note("draft \($0) \($2.code)")
                }
            }
            await simulation.settle()
            try device.perform {
                zim.clearConversationUnreadMessageCount(for: "bob", conversationType: .peer) {
                    app.note("read \($0) \($2.code)")
                }
            }
            await simulation.settle()
            try device.perform { zim.clearConversationTotalUnreadMessageCount { app.note("all read \($0.code)") } }
            await simulation.settle()
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
            await simulation.settle()
            #expect(
                try await device.run { await app.conversationList().list.map(\.conversationID) } == ["carol", "tea"])
            try device.perform { zim.deleteAllConversations(with: here) { app.note("deleted all \($0.code)") } }
            await simulation.settle()
            // As before 2.28, the device that did it is told of no more.
            #expect(app.heard == ["deleted bob success", "deleted all success"])
            #expect(try await device.run { await app.conversationList().list } == [])
        }
    }

    @Test func filesAndCalls() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await onThePlane(simulation)
            let zim = app.zim
            try device.perform {
                zim.queryLocalFileCache(with: ZIMFileCacheQueryConfig()) { app.note("\($0.totalFileSize) \($1.code)") }
                let old = ZIMFileCacheClearConfig()
                old.endTime = 1_767_225_004_000
                zim.clearLocalFileCache(with: old) { app.note("\($0.code)") }
                zim.queryLocalFileCache(with: ZIMFileCacheQueryConfig()) { app.note("\($0.totalFileSize) \($1.code)") }
                old.endTime += 2000
                zim.clearLocalFileCache(with: old) { app.note("\($0.code)") }
                zim.queryLocalFileCache(with: ZIMFileCacheQueryConfig()) { app.note("\($0.totalFileSize) \($1.code)") }
                let calls = ZIMCallInvitationQueryConfig()
                calls.count = 10
                zim.queryCallInvitationList(with: calls) { list, next, _ in
                    app.note("\(list.map { "\($0.callID) \($0.caller) \($0.state) \($0.callUserList.map(\.userID))" })")
                }
            }
            await simulation.settle()
            #expect(
                app.heard == [
                    "2048 success", "success", "2048 success", "success", "0 success",
                    #"["c1 bob started [\"alice\"]"]"#,
                ])
        }
    }
}
