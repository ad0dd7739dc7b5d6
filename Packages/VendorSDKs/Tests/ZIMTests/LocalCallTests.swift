import SimulatedApp
import Testing
import ZIM

/// Users, groups, files and calls in local data (ZIM-9), offline.
@MainActor
@Suite struct LocalCallTests {
    @Test func users() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
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
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    #"["Bob"] ["hi"] success"#, #"["nobody 6000011"]"#, "alice success", #"["dave"] 0 success"#,
                    "dave true success", "bob false success", #"["Bob Bobby [\"team\": \"blue\"]"] 0"#,
                    #"["bob"] ["carol"]"#, "by name 0", "by alias 1", #"["carol received waiting hello"]"#,
                    #"["carol join tea"]"#,
                ])
        }
    }

    @Test func groups() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
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
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    #"["Tea time"] success"#, #"["tea"]"#, #"four ["room": "7"] true success"#,
                    "'' groupModuleGroupDoseNotExist", #"tea ["room": "7"] success"#, #"tea ["room": "7"] success"#,
                    #"["alice 1"] true"#, #"found ["Bob"]"#, "tea B success", "tea 2 success", #"muted ["bob"] 0"#,
                    #"["bob 3"] 0"#,
                ])
        }
    }

    @Test func filesAndCalls() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app) = try await Plane.launch(in: simulation)
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
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    "2048 success", "success", "2048 success", "success", "0 success",
                    #"["c1 bob started [\"alice\"]"]"#,
                ])
        }
    }
}
