import IMCheckers
import IMLocalData
import IMProtocol
import IMSimulation

/// Checks that different calls of local data agree. A search finds the same entries as a check of every row. A single
/// entry equals the entry in the list. A count is the number of entries (ZIM-9).
struct LocalCallCheck {
    static let kind = "two calls give contradictory answers about local data"

    private var database: UserDatabase
    /// The name of the first call whose answer does not agree with another call.
    private var failure: String?

    /// A violation in the data of the clients whose local data is open; nil if there is none.
    static func violation(of world: SimulatedWorld) -> Violation? {
        let core = world.core
        for id in core.clients {
            guard let database = core.localDatabase(of: id) else { continue }
            var answers = LocalCallCheck(database: database)
            answers.compare()
            guard let failure = answers.failure else { continue }
            return Violation(.localData, "ZIM-9", kind, "\(core.name(of: id)): \(failure)")
        }
        return nil
    }

    private init(database: UserDatabase) { self.database = database }

    private mutating func compare() {
        comparePeople()
        for group in rows(.queryGroupList).prefix(3) { compare(group: group) }
        let conversations = rows(.queryConversationList)
        compare(conversations)
        for conversation in conversations.prefix(4) { compareMessages(of: conversation) }
    }

    // MARK: People and groups

    private mutating func comparePeople() {
        let friends = rows(.queryFriendList)
        for friend in friends.prefix(3) {
            let id = friend["userID"] ?? ""
            require(.queryFriendsInfo, rows(.queryFriendsInfo, [("userIDs", id)]) == [friend])
            if let alias = friend["friendAlias"], !alias.isEmpty {
                let arguments = [("keywords", alias), ("isAlsoMatchFriendAlias", "true")]
                let expected = friends.filter { Self.has($0["friendAlias"], alias) || Self.has($0["userName"], alias) }
                require(.searchLocalFriends, rows(.searchLocalFriends, arguments) == expected)
            }
            guard let name = friend["userName"], !name.isEmpty else { continue }
            let found = rows(.searchLocalFriends, [("keywords", name)])
            require(.searchLocalFriends, found == friends.filter { Self.has($0["userName"], name) })
        }
        let blacklisted = rows(.queryBlacklist).compactMap { $0["userID"] }
        for id in blacklisted.prefix(2) + friends.compactMap({ $0["userID"] }).prefix(2) {
            let answer = rows(.checkUserIsInBlackList, [("userID", id)]).first?["isUserInBlacklist"]
            require(.checkUserIsInBlackList, answer == String(blacklisted.contains(id)))
        }
    }

    private mutating func compare(group: AnswerRow) {
        let named = [("groupID", group["groupID"] ?? "")]
        let members = rows(.queryGroupMemberList, named)
        let whole = rows(.queryGroupInfo, named).first
        for name in ["groupName", "groupAvatarUrl", "groupAlias", "notificationStatus"] {
            require(.queryGroupInfo, whole?[name] == group[name])
        }
        let count = String(members.count)
        require(.queryGroupMemberCount, rows(.queryGroupMemberCount, named).first?["count"] == count)
        require(.queryGroupInfo, whole?["memberCount"] == count)
        // A member who is muted without a time limit (-1) must also be in the list of the muted members.
        let muted = rows(.queryGroupMemberMutedList, named)
        require(.queryGroupMemberMutedList, muted.allSatisfy { members.contains($0) && $0["muteExpiredTime"] != "0" })
        require(
            .queryGroupMemberMutedList, members.filter { $0["muteExpiredTime"] == "-1" }.allSatisfy(muted.contains))
        for member in members.prefix(3) {
            let arguments = named + [("userID", member["userID"] ?? "")]
            require(.queryGroupMemberInfo, rows(.queryGroupMemberInfo, arguments) == [member])
            guard let name = member["userName"], !name.isEmpty else { continue }
            let found = rows(.searchLocalGroupMembers, named + [("keywords", name)])
            require(.searchLocalGroupMembers, found == members.filter { Self.has($0["userName"], name) })
        }
        if let name = group["groupName"], !name.isEmpty {
            let expected = rows(.queryGroupList).filter { Self.has($0["groupName"], name) }
            require(.searchLocalGroups, Set(rows(.searchLocalGroups, [("keywords", name)])) == Set(expected))
        }
        let attributes = rows(.queryGroupAllAttributes, named)
        for attribute in attributes.prefix(2) {
            guard let key = attribute["key"] else { continue }
            require(.queryGroupAttributes, rows(.queryGroupAttributes, named + [("keys", key)]) == [attribute])
        }
    }

    // MARK: Conversations and messages

    private mutating func compare(_ conversations: [AnswerRow]) {
        let keys = conversations.map { ($0["isPinned"] == "true" ? 1 : 0, Int64($0["orderKey"] ?? "") ?? 0) }
        require(.queryConversationList, zip(keys, keys.dropFirst()).allSatisfy { $0 >= $1 })
        let pinned = conversations.filter { $0["isPinned"] == "true" }
        require(.queryConversationPinnedList, rows(.queryConversationPinnedList) == pinned)
        let filters: [(String, String, (AnswerRow) -> Bool)] = [
            ("pinnedFilter", "only-pinned", { $0["isPinned"] == "true" }),
            ("pinnedFilter", "only-unpinned", { $0["isPinned"] != "true" }),
            ("isOnlyUnreadConversation", "true", { $0["unreadMessageCount"] != "0" }),
            ("conversationTypes", "group", { $0["conversationType"] == "group" }),
        ]
        for (name, value, isWanted) in filters {
            let found = rows(.queryConversationList, [(name, value)])
            require(.queryConversationList, found == conversations.filter(isWanted))
        }
        for conversation in conversations.prefix(4) {
            require(
                .queryConversation, rows(.queryConversation, Self.conversationKey(of: conversation)) == [conversation])
        }
    }

    private mutating func compareMessages(of conversation: AnswerRow) {
        let conversationKey = Self.conversationKey(of: conversation)
        let forwards = rows(.queryHistoryMessage, conversationKey + [("reverse", "true")])
        // A conversation that does not fit on one page is not checked here.
        guard forwards.count < LocalCall.pageMax else { return }
        require(.queryHistoryMessage, rows(.queryHistoryMessage, conversationKey) == forwards.reversed())
        let times = forwards.compactMap { $0["timestamp"].flatMap { Int64($0) } }
        let isBehind = times.max().map { $0 > Int64(conversation["orderKey"] ?? "") ?? 0 }
        require(.queryConversationList, isBehind != true)
        if conversation["lastMessageID"]?.isEmpty == false {
            require(.queryConversation, conversation["lastMessageID"] == forwards.last?["messageID"])
        }
        func search(_ arguments: [(String, String)]) -> LocalRequest {
            request(.searchLocalMessages, conversationKey + [("order", "ascending")] + arguments)
        }
        // The call treats a time of 0 as any time, so a message with that time cannot be searched for by its time.
        guard let middle = forwards.dropFirst(forwards.count / 2).first, let time = Int64(middle["timestamp"] ?? ""),
            time > 0
        else { return }
        let sender = middle["senderUserID"] ?? ""
        let searches: [([(String, String)], (AnswerRow) -> Bool)] = [
            ([], { _ in true }), ([("senderUserIDs", sender)], { $0["senderUserID"] == sender }),
            ([("startTime", String(time))], { (Int64($0["timestamp"] ?? "") ?? 0) >= time }),
            ([("endTime", String(time))], { (Int64($0["timestamp"] ?? "") ?? 0) <= time }),
            ([("messageTypes", middle["type"] ?? "text")], { $0["type"] == middle["type"] }),
        ]
        for (arguments, isWanted) in searches {
            require(.searchLocalMessages, rows(search(arguments)) == forwards.filter(isWanted))
        }
        // A comma in the keyword would separate two words, so the word has only letters.
        let words = middle["message"]?.split { !$0.isLetter || !$0.isASCII } ?? []
        if let word = words.first(where: { $0.count > 2 }).map(String.init) {
            let found = rows(search([("keywords", word)]))
            require(
                .searchLocalMessages,
                found == forwards.filter { Self.has($0["message"], word) || Self.has($0["fileName"], word) })
            // A search must also find the word in capitals, and in the full-width letters of Chinese keyboards.
            let wide = String(
                String.UnicodeScalarView(word.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }))
            for other in [word.uppercased(), wide] {
                require(.searchLocalMessages, rows(search([("keywords", other)])) == found)
            }
            // The search for conversations returns each conversation that contains the word, with the number of its
            // messages and the newest ones.
            let hits = rows(
                .searchLocalConversations,
                [
                    ("keywords", word), ("totalConversationCount", String(LocalCall.pageMax)),
                    ("conversationMessageCount", "2"),
                ])
            let own = hits.firstIndex { row in
                row["totalMessageCount"] != nil && Self.conversationKey(of: row).map(\.1) == conversationKey.map(\.1)
            }
            if hits.count < LocalCall.pageMax {
                require(
                    .searchLocalConversations,
                    own.flatMap { hits[$0]["totalMessageCount"] } == (found.isEmpty ? nil : String(found.count)))
                let newest = own.map { Array(hits[($0 + 1)...].prefix(min(2, found.count))) } ?? []
                require(.searchLocalConversations, newest == Array(found.reversed().prefix(2)))
            }
            let all = rows(.searchGlobalLocalMessages, [("keywords", word), ("count", String(LocalCall.pageMax))])
            require(.searchGlobalLocalMessages, all.count == LocalCall.pageMax || found.allSatisfy(all.contains))
        }
    }

    // MARK: Calls

    private mutating func require(_ call: LocalCall, _ holds: Bool) {
        if !holds, failure == nil { failure = call.declaration.name }
    }

    private func request(_ call: LocalCall, _ arguments: [(String, String)]) -> LocalRequest {
        let takesCount = call.declaration.parameters.contains { $0.name == "count" }
        return LocalRequest(call, arguments + (takesCount ? [("count", String(LocalCall.pageMax))] : []))
    }

    private func rows(_ call: LocalCall, _ arguments: [(String, String)] = []) -> [AnswerRow] {
        rows(request(call, arguments))
    }

    private func rows(_ request: LocalRequest) -> [AnswerRow] {
        var database = database
        return database.answer(request).rows
    }

    private static func conversationKey(of conversation: AnswerRow) -> [(String, String)] {
        ["conversationID", "conversationType"].map { ($0, conversation[$0] ?? "") }
    }

    /// True if the text contains the word; ignores case.
    private static func has(_ text: String?, _ word: String) -> Bool {
        text?.lowercased().contains(word.lowercased()) == true
    }
}
