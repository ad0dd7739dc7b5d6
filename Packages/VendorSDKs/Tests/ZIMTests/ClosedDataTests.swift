import IMLocalData
import SimulatedApp
import Testing
import ZIM

/// Each of the 46 calls is refused while no user's data is open, and for each invalid argument (ZIM-9).
@MainActor
@Suite struct ClosedDataTests {
    /// Logged in, with a message, a combined one and an export.
    private func ready(
        _ simulation: Simulation
    ) async throws -> (device: SimulatedDevice, app: Phone, calls: Calls) {
        try simulation.script(
            """
            server account add alice
            server change alice message messageID=m1 conversationID=bob senderUserID=bob message=x \
            timestamp=1767225000000
            server change alice message messageID=k1 conversationID=bob senderUserID=bob type=combine message=two \
            part1.message=one part1.messageID=p1 part1.senderUserID=bob part1.conversationID=bob \
            timestamp=1767225001000
            """)
        let (device, app) = try await loggedIn("alice", on: "phone", in: simulation)
        let messages = try await device.run { await app.history("bob") }.messages
        let combined = try #require(messages.last as? ZIMCombineMessage)
        try device.perform {
            app.zim.exportLocalMessages(
                toFolderPath: "/x", config: ZIMMessageExportConfig(), progress: { _, _ in }
            ) { _ in }
        }
        await simulation.runDueEntries()
        return (device, app, Calls(app.zim, messages[0], combined))
    }

    @Test func everyCallIsRefusedWithoutALogin() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (device, app, calls) = try await ready(simulation)
            // Online, all calls are answered, although they find nothing.
            try device.perform { calls.makeAll(count: 10) }
            await simulation.run(for: .seconds(1))
            #expect(calls.ended.map(\.0) == LocalCall.allCases)
            #expect(
                !calls.ended.contains { $0.1 == .networkModuleUserIsNotLogged || $0.1 == .commonModuleParamsInvalid })
            calls.ended = []
            try device.perform { app.zim.logout() }
            await simulation.run(for: .seconds(1))
            try device.perform { calls.makeAll(count: 10) }
            await simulation.run(for: .seconds(1))
            #expect(calls.ended.map(\.0) == LocalCall.allCases)
            #expect(calls.ended.allSatisfy { $0.1 == .networkModuleUserIsNotLogged })
        }
        #expect(rules == Array(repeating: "ZIM-8", count: LocalCall.allCases.count))
    }

    @Test func badArgumentsAreRefused() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app, calls) = try await ready(simulation)
            // Page sizes that are too large or too small.
            for count: UInt32 in [0, 101] {
                try device.perform { calls.makeAll(count: count) }
                await simulation.run(for: .seconds(1))
                for (call, code) in calls.ended {
                    let hasCount = call.declaration.parameters.contains { parameter in
                        if case .count = parameter.kind { return true }
                        return false
                    }
                    #expect((code == .commonModuleParamsInvalid) == hasCount, "\(call.name) with \(count): \(code)")
                }
                calls.ended = []
            }
            try device.perform {
                app.zim.queryUsersInfo(by: [], config: ZIMUsersInfoQueryConfig()) { app.note("none \($2.code)") }
                let eleven = (1...11).map { "u\($0)" }
                app.zim.queryUsersInfo(by: eleven, config: ZIMUsersInfoQueryConfig()) { app.note("many \($2.code)") }
                app.zim.queryUsersInfo(by: ["a,b"], config: ZIMUsersInfoQueryConfig()) { app.note("comma \($2.code)") }
                app.zim.checkUserIsInBlacklist(by: "") { app.note("empty \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard.filter { $0.hasSuffix("commonModuleParamsInvalid") }.map { $0.prefix { $0 != " " } }
                    == ["none", "many", "comma", "empty"])
        }
    }
}

/// All calls, each with a valid argument.
@MainActor
private final class Calls {
    private let zim: ZIM
    private let message: ZIMMessage
    private let combined: ZIMCombineMessage
    var ended: [(LocalCall, ZIMErrorCode)] = []

    init(_ zim: ZIM, _ message: ZIMMessage, _ combined: ZIMCombineMessage) {
        self.zim = zim
        self.message = message
        self.combined = combined
    }

    private func end(_ call: LocalCall) -> (ZIMError) -> Void {
        { error in MainActor.assumeIsolated { self.ended.append((call, error.code)) } }
    }

    func makeAll(count: UInt32) {
        makeUserCalls(count)
        makeGroupCalls(count)
        makeMessageCalls(count)
        makeConversationCalls(count)
    }

    private func makeUserCalls(_ count: UInt32) {
        let (done1, done2) = (end(.queryUsersInfo), end(.querySelfUserInfo))
        zim.queryUsersInfo(by: ["bob"], config: ZIMUsersInfoQueryConfig()) { done1($2) }
        zim.querySelfUserInfo { done2($1) }
        let applications = ZIMGroupApplicationListQueryConfig()
        applications.count = count
        let done3 = end(.queryGroupApplicationList)
        zim.queryGroupApplicationList(with: applications) { done3($2) }
        let blacklist = ZIMBlacklistQueryConfig()
        blacklist.count = count
        let (done4, done5) = (end(.queryBlacklist), end(.checkUserIsInBlackList))
        zim.queryBlacklist(with: blacklist) { done4($2) }
        zim.checkUserIsInBlacklist(by: "bob") { done5($1) }
        let search = ZIMFriendSearchConfig()
        search.count = count
        search.keywords = ["b"]
        let (done6, done7) = (end(.searchLocalFriends), end(.queryFriendsInfo))
        zim.searchLocalFriends(with: search) { done6($2) }
        zim.queryFriendsInfo(by: ["bob"]) { done7($2) }
        let friends = ZIMFriendListQueryConfig()
        friends.count = count
        let (done8, done9) = (end(.queryFriendList), end(.queryFriendApplicationList))
        zim.queryFriendList(with: friends) { done8($2) }
        let ofFriends = ZIMFriendApplicationListQueryConfig()
        ofFriends.count = count
        zim.queryFriendApplicationList(with: ofFriends) { done9($2) }
    }

    private func makeGroupCalls(_ count: UInt32) {
        let (done10, done11, done12) = (end(.queryGroupList), end(.searchLocalGroups), end(.queryGroupInfo))
        zim.queryGroupList { done10($1) }
        let search = ZIMGroupSearchConfig()
        search.count = count
        search.keywords = ["t"]
        zim.searchLocalGroups(with: search) { done11($2) }
        zim.queryGroupInfo(by: "tea") { done12($1) }
        let (done13, done14) = (end(.queryGroupAttributes), end(.queryGroupAllAttributes))
        zim.queryGroupAttributes(by: ["k"], groupID: "tea") { done13($2) }
        zim.queryGroupAllAttributes(by: "tea") { done14($2) }
        let page = ZIMGroupMemberQueryConfig()
        page.count = count
        let (done15, done16) = (end(.queryGroupMemberList), end(.searchLocalGroupMembers))
        zim.queryGroupMemberList(by: "tea", config: page) { done15($3) }
        let members = ZIMGroupMemberSearchConfig()
        members.count = count
        members.keywords = ["b"]
        zim.searchLocalGroupMembers(by: "tea", config: members) { done16($3) }
        let (done17, done18) = (end(.queryGroupMemberInfo), end(.queryGroupMemberCount))
        zim.queryGroupMemberInfo(by: "bob", groupID: "tea") { done17($2) }
        zim.queryGroupMemberCount(by: "tea") { done18($2) }
        let muted = ZIMGroupMemberMutedListQueryConfig()
        muted.count = count
        let done19 = end(.queryGroupMemberMutedList)
        zim.queryGroupMemberMutedList(by: "tea", config: muted) { done19($3) }
    }

    private func makeMessageCalls(_ count: UInt32) {
        let history = ZIMMessageQueryConfig()
        history.count = count
        let (done20, done21) = (end(.queryHistoryMessage), end(.updateMessageLocalExtendedData))
        zim.queryHistoryMessage(by: "bob", conversationType: .peer, config: history) { done20($3) }
        zim.updateMessageLocalExtendedData("x", message: message) { done21($1) }
        let search = ZIMMessageSearchConfig()
        search.count = count
        search.keywords = ["x"]
        let (done22, done23) = (end(.searchLocalMessages), end(.searchGlobalLocalMessages))
        zim.searchLocalMessages(by: "bob", conversationType: .peer, config: search) { done22($4) }
        zim.searchGlobalLocalMessages(with: search) { done23($2) }
        let done24 = end(.insertMessageToLocalDB)
        zim.insertMessageToLocalDB(
            ZIMTextMessage(message: "x"), conversationID: "bob", conversationType: .peer, senderUserID: "bob"
        ) { done24($1) }
        let delete = ZIMMessageDeleteConfig()
        let (done25, done26, done27) = (
            end(.deleteAllMessage), end(.deleteMessages), end(.deleteAllConversationMessages)
        )
        zim.deleteAllMessage(by: "bob", conversationType: .peer, config: delete) { done25($2) }
        zim.deleteMessages([message], conversationID: "bob", conversationType: .peer, config: delete) { done26($2) }
        zim.deleteAllConversationMessages(with: delete) { done27($0) }
        let (done28, done29) = (end(.queryMessageReceiptsInfo), end(.queryMessageReactionUserList))
        zim.queryMessageReceiptsInfo(by: [message], conversationID: "bob", conversationType: .peer) { done28($2) }
        let reactions = ZIMMessageReactionUserQueryConfig()
        reactions.count = count
        reactions.reactionType = "thumbs"
        zim.queryMessageReactionUserList(by: message, config: reactions) { done29($5) }
        let receipts = ZIMGroupMessageReceiptMemberQueryConfig()
        receipts.count = count
        let (done30, done31) = (
            end(.queryGroupMessageReceiptReadMemberList), end(.queryGroupMessageReceiptUnreadMemberList)
        )
        zim.queryGroupMessageReceiptReadMemberList(by: message, groupID: "tea", config: receipts) { done30($3) }
        zim.queryGroupMessageReceiptUnreadMemberList(by: message, groupID: "tea", config: receipts) { done31($3) }
        let (done32, done33) = (end(.importLocalMessages), end(.exportLocalMessages))
        zim.importLocalMessages(toFolderPath: "/x", config: ZIMMessageImportConfig(), progress: { _, _ in }) {
            done32($0)
        }
        zim.exportLocalMessages(toFolderPath: "/x", config: ZIMMessageExportConfig(), progress: { _, _ in }) {
            done33($0)
        }
        let calls = ZIMCallInvitationQueryConfig()
        calls.count = count
        let done34 = end(.queryCallInvitationList)
        zim.queryCallInvitationList(with: calls) { done34($2) }
    }

    private func makeConversationCalls(_ count: UInt32) {
        let page = ZIMConversationQueryConfig()
        page.count = count
        let (done35, done36, done37) = (
            end(.queryConversation), end(.queryConversationList), end(.queryConversationPinnedList)
        )
        zim.queryConversation(by: "bob", conversationType: .peer) { done35($1) }
        zim.queryConversationList(with: page) { done36($1) }
        zim.queryConversationPinnedList(with: page) { done37($1) }
        let search = ZIMConversationSearchConfig()
        search.totalConversationCount = count
        search.conversationMessageCount = count
        search.keywords = ["x"]
        let done38 = end(.searchLocalConversations)
        zim.searchLocalConversations(with: search) { done38($2) }
        let (done39, done40) = (
            end(.clearConversationUnreadMessageCount), end(.clearConversationTotalUnreadMessageCount)
        )
        zim.clearConversationUnreadMessageCount(for: "bob", conversationType: .peer) { done39($2) }
        zim.clearConversationTotalUnreadMessageCount { done40($0) }
        let delete = ZIMConversationDeleteConfig()
        let (done41, done42, done43) = (
            end(.deleteConversation), end(.deleteAllConversations), end(.setConversationDraft)
        )
        zim.deleteConversation(by: "bob", conversationType: .peer, config: delete) { done41($2) }
        zim.deleteAllConversations(with: delete) { done42($0) }
        zim.setConversationDraft("x", conversationID: "bob", conversationType: .peer) { done43($2) }
        let (done44, done45, done46) = (
            end(.clearLocalFileCache), end(.queryLocalFileCache), end(.queryCombineMessageDetail)
        )
        let files = ZIMFileCacheClearConfig()
        files.endTime = 1
        zim.clearLocalFileCache(with: files) { done44($0) }
        zim.queryLocalFileCache(with: ZIMFileCacheQueryConfig()) { done45($1) }
        zim.queryCombineMessageDetail(by: combined) { done46($1) }
    }
}
