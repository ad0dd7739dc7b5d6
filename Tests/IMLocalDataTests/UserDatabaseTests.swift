import IMProtocol
import SansIO
import Testing

@testable import IMLocalData

/// The answers of the calls to the local database, and the changes that the calls make in the data (ZIM-9).
@Suite struct UserDatabaseTests {
    private var database = Fixture.database

    // MARK: Users and groups

    @Test("ZIM-9: known and unknown users")
    mutating func users() {
        let users = database.call("queryUsersInfo", ["userIDs": "bob,eve"])
        #expect(users.column("userName") == ["Bob", nil] && users.column("errorUserID") == [nil, "eve"])
        #expect(database.call("querySelfUserInfo").column("userName") == ["Alice"])
        #expect(database.call("queryFriendListWithConfig").column("friendAlias") == ["Bobby", ""])
        #expect(database.call("queryFriendsInfoByUserIDs", ["userIDs": "alice"]).column("errorUserID") == ["alice"])
        #expect(database.call("queryFriendApplicationListWithConfig").column("wording") == ["hi"])
        #expect(database.call("queryBlacklistWithConfig").column("userID") == ["mallory"])
        for (user, isIn) in [("mallory", "true"), ("bob", "false")] {
            let answer = database.call("checkUserIsInBlackListByUserID", ["userID": user])
            #expect(answer.column("isUserInBlacklist") == [isIn])
        }
        database.apply(.blacklisted("mallory", false))
        database.apply(.friendRemoved("bob"))
        #expect(database.call("queryBlacklistWithConfig").rows.isEmpty)
        #expect(database.call("queryFriendListWithConfig").column("userID") == ["carol"])
    }

    @Test("ZIM-9: friends, groups and members are found by name, alias and nickname, in two scripts")
    mutating func names() {
        func friends(_ keywords: String, alias: Bool = false) -> [String?] {
            database.call(
                "searchLocalFriendsWithConfig", ["keywords": keywords, "isAlsoMatchFriendAlias": String(alias)]
            ).column("userID")
        }
        #expect(friends("BO") == ["bob"] && friends("罗") == ["carol"] && friends("bobby") == [])
        #expect(friends("bobby", alias: true) == ["bob"] && friends("bo,zz") == [])
        #expect(database.call("searchLocalGroupsWithConfig", ["keywords": "电,crew"]).column("groupID") == ["crew"])
        let byMember = ["keywords": "主", "isAlsoMatchGroupMemberNickname": "true"] as KeyValuePairs
        #expect(database.call("searchLocalGroupsWithConfig", byMember).column("groupID") == ["crew"])
        #expect(database.call("searchLocalGroupsWithConfig", ["keywords": "主"]).rows.isEmpty)
        let members =
            ["groupID": "crew", "keywords": "LIFT", "isAlsoMatchGroupMemberNickname": "true"] as KeyValuePairs
        #expect(database.call("searchLocalGroupMembersByGroupID", members).column("userID") == ["bob"])
    }

    @Test("ZIM-9: a member's number that is too large is ignored")
    mutating func memberNumbers() throws {
        for (user, number) in [("zoe", "4294967295"), ("yan", "")] {
            let fields = [("groupID", "crew"), ("userID", user), ("enterOrder", number)]
            let record = ChangeRecord(kind: .member, fields: fields.map { AnswerField(name: $0.0, value: $0.1) })
            database.apply(try #require(LocalChange(record)))
        }
        let members = database.call("queryGroupMemberListByGroupID", ["groupID": "crew"])
        #expect(members.column("userID").suffix(2) == ["zoe", "yan"])
    }

    @Test("ZIM-9: a group with its attributes and members, until the user has left it")
    mutating func groups() {
        #expect(database.call("queryGroupList").column("groupID") == ["crew"])
        #expect(database.call("queryGroupInfoByGroupID", ["groupID": "crew"]).column("memberCount") == ["3"])
        let attributes = database.call("queryGroupAttributesByKeys", ["keys": "city,none", "groupID": "crew"])
        #expect(attributes.column("value") == ["杭州"])
        #expect(
            database.call("queryGroupAllAttributesByGroupID", ["groupID": "crew"]).column("key") == ["floor", "city"])
        let bob = database.call("queryGroupMemberInfoByUserID", ["userID": "bob", "groupID": "crew"])
        #expect(bob.column("memberNickname") == ["lifter"] && bob.column("userName") == ["Bob"])
        #expect(database.call("queryGroupMemberCountByGroupID", ["groupID": "crew"]).column("count") == ["3"])
        let muted = ["groupID": "crew"] as KeyValuePairs
        #expect(database.call("queryGroupMemberMutedListByGroupID", muted).column("userID") == ["bob"])
        #expect(database.call("queryGroupMemberMutedListByGroupID", muted, at: 10_000).rows.isEmpty)
        #expect(database.call("queryGroupApplicationListWithConfig").column("userID") == ["dave"])
        database.apply(.groupRemoved("crew"))
        for call in ["queryGroupInfoByGroupID", "queryGroupMemberCountByGroupID", "queryGroupMemberListByGroupID"] {
            #expect(database.call(call, ["groupID": "crew"]).status == .groupNotFound, "\(call)")
        }
    }

    @Test("ZIM-9: the pages of a list neither repeat nor skip entries that exist throughout")
    mutating func pages() {
        var random = SeededRandom(seed: 9)
        for user in 0..<50 { database.apply(.blacklisted("user-\(user)", true)) }
        let stable = Set((0..<50).filter { $0 % 2 == 0 }.map { "user-\($0)" })
        var seen: [String] = []
        var flag = "0"
        repeat {
            let page = database.call("queryBlacklistWithConfig", ["nextFlag": flag, "count": "7"])
            seen += page.column("userID").compactMap(\.self)
            flag = page.next
            for _ in 0..<3 {
                let odd = Int(random.below(25)) * 2 + 1
                database.apply(.blacklisted("user-\(odd)", random.below(2) == 0))
                database.apply(.blacklisted("new-\(random.below(1000))", true))
            }
        } while !flag.isEmpty && seen.count < 1000
        #expect(stable.isSubset(of: Set(seen)))
        #expect(seen.filter(stable.contains).count == stable.count)
    }

    @Test("ZIM-9: calls are sorted by time, the latest first")
    mutating func calls() {
        let first = database.call("queryCallInvitationListWithConfig", ["count": "1"])
        #expect(first.column("callID") == ["call-2"] && first.column("state") == ["started"])
        let second = database.call("queryCallInvitationListWithConfig", ["count": "1", "nextFlag": "\(first.next)"])
        #expect(second.column("callID") == ["call-1"] && second.next == "")
    }

    // MARK: Messages

    @Test("ZIM-9: history is read in both directions, page by page")
    mutating func history() {
        func page(_ count: Int, after: String = "", reverse: Bool = false) -> LocalAnswer {
            database.call(
                "queryHistoryMessageByConversationID",
                ["conversationID": "bob", "count": "\(count)", "nextMessage": after, "reverse": "\(reverse)"])
        }
        #expect(page(9).column("messageID") == ["m-3", "m-2", "m-1"] && page(9).next == "")
        let first = page(2)
        #expect(first.column("messageID") == ["m-3", "m-2"])
        // Messages that arrive in between belong to no page after the first.
        database.apply(.message(Fixture.text("m-4", Fixture.bob, from: "bob", "new", at: 400)))
        #expect(page(2, after: first.next).column("messageID") == ["m-1"])
        #expect(page(2, reverse: true).column("messageID") == ["m-1", "m-2"])
        // The last message of a page can be deleted in between.
        _ = database.call("deleteMessages", ["messageList": "m-2", "conversationID": "bob"])
        #expect(page(2, after: first.next).column("messageID") == ["m-1"])
        #expect(page(9).column("direction") == ["receive", "receive", "receive"])
    }

    @Test("ZIM-9: every keyword must match; case and width are ignored, and one Chinese character is sufficient")
    mutating func search() {
        func ids(_ keywords: String, _ more: KeyValuePairs<String, String> = [:]) -> [String?] {
            let arguments = [("keywords", keywords)] + more.map { ($0.key, $0.value) }
            return database.answer(LocalRequest(.searchGlobalLocalMessages, arguments)).column("messageID")
        }
        #expect(ids("lift") == ["m-1", "c-1"] && ids("lift", ["order": "ascending"]) == ["c-1", "m-1"])
        #expect(ids("梯") == ["m-2"] && ids("坏了") == ["m-2"] && ids("坏,lift") == [] && ids("stuck,LIFT") == ["m-1"])
        #expect(ids("shaft.png") == ["m-3"])
        #expect(
            ids("", ["messageTypes": "image,12"]) == ["m-3"] && ids("", ["senderUserIDs": "carol"]) == ["g-2", "c-1"])
        #expect(ids("", ["startTime": "200", "endTime": "250"]) == ["g-2", "m-2"])
        let here = database.call(
            "searchLocalMessagesByConversationID", ["conversationID": "carol", "keywords": "lift"])
        #expect(here.column("messageID") == ["c-1"])
        let first = database.call("searchGlobalLocalMessagesWithConfig", ["keywords": "lift", "count": "1"])
        let second = database.call(
            "searchGlobalLocalMessagesWithConfig", ["keywords": "lift", "count": "1", "nextMessage": first.next])
        #expect(first.column("messageID") == ["m-1"] && second.column("messageID") == ["c-1"] && second.next == "")
    }

    @Test("ZIM-9: a local deletion survives a later sync; later data is stored")
    mutating func deletedStaysDeleted() {
        _ = database.call("deleteMessages", ["messageList": "m-1,m-3", "conversationID": "bob"])
        _ = database.call("deleteAllMessageByConversationID", ["conversationID": "carol"])
        for change in Fixture.changes { database.apply(change) }
        let all = database.call("searchGlobalLocalMessagesWithConfig")
        #expect(all.column("messageID") == ["g-2", "m-2", "g-1"])
        database.apply(.message(Fixture.text("c-2", Fixture.carol, from: "carol", "later", at: 60)))
        let carol = database.call("queryHistoryMessageByConversationID", ["conversationID": "carol"])
        #expect(carol.column("messageID") == ["c-2"])
        _ = database.call("deleteAllConversationMessages")
        for change in Fixture.changes { database.apply(change) }
        #expect(database.call("searchGlobalLocalMessagesWithConfig").rows.isEmpty)
        // A message is deleted only from the conversation that the call names.
        database.apply(.message(Fixture.text("c-3", Fixture.carol, from: "carol", "last", at: 70)))
        _ = database.call("deleteMessages", ["messageList": "c-3", "conversationID": "bob"])
        #expect(database.message("c-3") != nil)
    }

    @Test("ZIM-9: a deletion on another device is kept, also if a conversation begins with it")
    func removedElsewhere() {
        for change: LocalChange in [
            .conversationEmptied(Fixture.carol, upTo: 50), .conversationRemoved(Fixture.carol, upTo: 50),
        ] {
            var database = UserDatabase(owner: "alice")
            database.apply(change)
            database.apply(.message(Fixture.text("c-1", Fixture.carol, from: "carol", "old", at: 40)))
            database.apply(.message(Fixture.text("c-2", Fixture.carol, from: "carol", "new", at: 60)))
            let carol = database.call("queryHistoryMessageByConversationID", ["conversationID": "carol"])
            #expect(carol.column("messageID") == ["c-2"])
        }
    }

    @Test("ZIM-9: local extended data and inserted messages survive a sync")
    mutating func ownThingsStay() {
        let changedMessage = database.call(
            "updateMessageLocalExtendedData", ["localExtendedData": "seen", "message": "m-1"])
        #expect(changedMessage.column("localExtendedData") == ["seen"])
        let put = database.call(
            "insertMessageToLocalDB", ["message": "system note", "conversationID": "bob", "senderUserID": "bob"],
            at: 500)
        #expect(put.column("isUserInserted") == ["true"] && put.column("messageID") == [""])
        for change in Fixture.changes { database.apply(change) }
        let history = database.call("queryHistoryMessageByConversationID", ["conversationID": "bob"])
        #expect(history.column("message") == ["system note", "the shaft", "电梯坏了吗？", "The lift is stuck"])
        #expect(history.column("localExtendedData") == [nil, nil, nil, "seen"])
        // The inserted message has no id. It is found by the number that the database assigned.
        let number = put.column("localMessageID").first??.description ?? ""
        _ = database.call("deleteMessages", ["messageList": "#\(number)", "conversationID": "bob"])
        #expect(database.call("queryHistoryMessageByConversationID", ["conversationID": "bob"]).rows.count == 3)
        let unknown = ["localExtendedData": "x", "message": "none"] as KeyValuePairs
        #expect(database.call("updateMessageLocalExtendedData", unknown).status == .notFound)
    }

    @Test("ZIM-9: the readers of a message, the others, and the reactions")
    mutating func receiptsAndReactions() {
        let group = ["messageList": "g-1,none", "conversationID": "crew", "conversationType": "group"] as KeyValuePairs
        let receipt = database.call("queryMessageReceiptsInfoByMessageList", group)
        #expect(receipt.column("status") == ["processing", nil] && receipt.column("errorMessageID") == [nil, "none"])
        #expect(receipt.column("readMemberCount") == ["1", nil] && receipt.column("unreadMemberCount") == ["1", nil])
        let message = ["message": "g-1", "groupID": "crew"] as KeyValuePairs
        let read = database.call("queryGroupMessageReceiptReadMemberListByMessage", message)
        let unread = database.call("queryGroupMessageReceiptUnreadMemberListByMessage", message)
        #expect(read.column("userID") == ["bob"] && unread.column("userID") == ["carol"])
        database.apply(.read(messages: ["g-1"], by: "carol"))
        #expect(database.call("queryMessageReceiptsInfoByMessageList", group).column("status") == ["done", nil])
        let first = database.call(
            "queryMessageReactionUserListByMessage", ["message": "m-1", "reactionType": "+1", "count": "1"])
        // A reaction that is removed between two pages does not make the second page skip a user.
        database.apply(.reaction(message: "m-1", LocalMessage.Reaction(type: "+1", user: "alice"), isOn: false))
        let second = database.call(
            "queryMessageReactionUserListByMessage",
            ["message": "m-1", "reactionType": "+1", "count": "1", "nextFlag": first.next])
        #expect(first.column("userID") == ["alice"] && second.column("userID") == ["bob"] && second.next == "")
        #expect(database.call("queryCombineMessageDetail", ["message": "g-2"]).column("message") == ["one", "two"])
        #expect(database.call("queryCombineMessageDetail", ["message": "m-1"]).status == .notFound)
        database.apply(.messageRevoked(id: "m-1"))
        let revoked = database.message("m-1")
        #expect(revoked?.kind == .revoke && revoked?.text == "")
    }

    @Test("ZIM-9: the size of downloads, and that newer ones stay")
    mutating func cache() {
        #expect(database.call("queryLocalFileCacheWithConfig").column("totalFileSize") == ["2000", nil])
        _ = database.call("clearLocalFileCacheWithConfig", ["endTime": "349"])
        #expect(database.call("queryLocalFileCacheWithConfig").column("fileSize") == [nil, "2000"])
        _ = database.call("clearLocalFileCacheWithConfig", ["endTime": "350"])
        #expect(database.call("queryLocalFileCacheWithConfig").column("totalFileSize") == ["0"])
    }

    // MARK: Conversations

    private func list(_ arguments: KeyValuePairs<String, String> = [:]) -> [String?] {
        var copy = database
        return copy.call("queryConversationListWithConfig", arguments).column("conversationID")
    }

    @Test("ZIM-9: pinned conversations first, then the latest; a draft moves its conversation up")
    mutating func order() {
        #expect(list() == ["bob", "crew", "carol"])
        _ = database.call("setConversationDraft", ["draft": "to be said", "conversationID": "carol"], at: 900)
        #expect(list() == ["carol", "bob", "crew"])
        var pinned = LocalConversation(id: Fixture.crew, name: "Crew")
        pinned.isPinned = true
        database.apply(.conversation(pinned))
        #expect(list() == ["crew", "carol", "bob"] && list(["conversationTypes": "group"]) == ["crew"])
        #expect(list(["pinnedFilter": "only-unpinned"]) == ["carol", "bob"])
        #expect(database.call("queryConversationPinnedListWithConfig").column("conversationName") == ["Crew"])
        let carol = database.call("queryConversation", ["conversationID": "carol"])
        #expect(carol.column("draft") == ["to be said"] && carol.column("lastMessage") == ["ＬＩＦＴ again"])
        // A sync changes names and pins; a draft belongs to this device.
        for change in Fixture.changes { database.apply(change) }
        #expect(database.call("queryConversation", ["conversationID": "carol"]).column("draft") == ["to be said"])
        #expect(database.call("queryConversation", ["conversationID": "nobody"]).status == .conversationNotFound)
    }

    @Test("ZIM-9: a page of conversations continues after the previous one, also if conversations have moved up")
    mutating func conversationPages() {
        let first = database.call("queryConversationListWithConfig", ["count": "1"])
        #expect(first.column("conversationID") == ["bob"])
        database.apply(.message(Fixture.text("m-9", Fixture.bob, from: "bob", "again", at: 900)))
        #expect(list(["nextConversation": first.next]) == ["crew", "carol"])
    }

    @Test("ZIM-9: messages of others are unread until they are read on any device")
    mutating func unread() {
        func counts() -> [String?] {
            var copy = database
            return copy.call("queryConversationListWithConfig").column("unreadMessageCount")
        }
        #expect(counts() == ["2", "1", "1"])
        database.apply(.readElsewhere(Fixture.bob, upTo: 100))
        #expect(counts() == ["1", "1", "1"])
        _ = database.call("clearConversationUnreadMessageCount", ["conversationID": "bob"])
        #expect(counts() == ["0", "1", "1"] && list(["isOnlyUnreadConversation": "true"]) == ["crew", "carol"])
        // A message that was read here does not become unread because the other device reports later.
        database.apply(.readElsewhere(Fixture.bob, upTo: 0))
        #expect(counts() == ["0", "1", "1"])
        _ = database.call("clearConversationTotalUnreadMessageCount")
        #expect(counts() == ["0", "0", "0"])
    }

    @Test("ZIM-9: a deleted conversation returns with its next message, and with its history")
    mutating func offTheList() {
        _ = database.call("deleteConversation", ["conversationID": "bob"])
        for change in Fixture.changes { database.apply(change) }
        #expect(list() == ["crew", "carol"])
        database.apply(.message(Fixture.text("m-9", Fixture.bob, from: "bob", "again", at: 900)))
        #expect(list() == ["bob", "crew", "carol"])
        #expect(database.call("queryHistoryMessageByConversationID", ["conversationID": "bob"]).rows.count == 4)
        _ = database.call("deleteAllConversationsWithConfig")
        #expect(list() == [])
    }

    @Test("ZIM-9: conversations are found by their messages or by name, page by page")
    mutating func searchConversations() {
        let first = database.call(
            "searchLocalConversationsWithConfig", ["keywords": "lift", "totalConversationCount": "1"])
        #expect(first.column("conversationID") == ["bob", "bob"] && first.column("totalMessageCount") == ["1", nil])
        let second = database.call(
            "searchLocalConversationsWithConfig", ["keywords": "lift", "nextFlag": first.next])
        #expect(second.column("messageID") == [nil, "c-1"] && second.next == "")
        database.apply(.conversation(LocalConversation(id: Fixture.crew, name: "Night shift")))
        let named = database.call("searchLocalConversationsWithConfig", ["mode": "match-name", "keywords": "NIGHT"])
        #expect(named.column("conversationID") == ["crew"])
    }

    @Test("ZIM-9: every change can arrive twice")
    mutating func twice() {
        let once = database
        for change in Fixture.changes { database.apply(change) }
        #expect(database == once)
    }
}
