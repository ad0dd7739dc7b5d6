import IMProtocol
import Testing

@testable import IMLocalData

/// The table of the 46 calls; each of them answers valid calls and refuses invalid ones.
@Suite struct LocalCallTests {
    /// The names of the local calls, in the order of the vendor's list.
    private static let listed = [
        "queryUsersInfo", "querySelfUserInfo", "queryGroupApplicationListWithConfig", "queryBlacklistWithConfig",
        "checkUserIsInBlackListByUserID", "searchLocalFriendsWithConfig", "queryFriendsInfoByUserIDs",
        "queryFriendListWithConfig", "queryFriendApplicationListWithConfig", "queryGroupList",
        "searchLocalGroupsWithConfig", "queryGroupInfoByGroupID", "queryGroupAttributesByKeys",
        "queryGroupAllAttributesByGroupID", "queryGroupMemberListByGroupID", "searchLocalGroupMembersByGroupID",
        "queryGroupMemberInfoByUserID", "queryGroupMemberCountByGroupID", "queryGroupMemberMutedListByGroupID",
        "queryHistoryMessageByConversationID", "updateMessageLocalExtendedData", "searchLocalMessagesByConversationID",
        "searchGlobalLocalMessagesWithConfig", "insertMessageToLocalDB", "deleteAllMessageByConversationID",
        "deleteMessages", "deleteAllConversationMessages", "queryMessageReceiptsInfoByMessageList",
        "queryMessageReactionUserListByMessage", "queryGroupMessageReceiptReadMemberListByMessage",
        "queryGroupMessageReceiptUnreadMemberListByMessage", "importLocalMessagesToFolderPath",
        "exportLocalMessagesToFolderPath", "queryCallInvitationListWithConfig", "queryConversation",
        "queryConversationListWithConfig", "queryConversationPinnedListWithConfig",
        "searchLocalConversationsWithConfig", "clearConversationUnreadMessageCount",
        "clearConversationTotalUnreadMessageCount", "deleteConversation", "deleteAllConversationsWithConfig",
        "setConversationDraft", "clearLocalFileCacheWithConfig", "queryLocalFileCacheWithConfig",
        "queryCombineMessageDetail",
    ]

    @Test("ZIM-9: the calls are those of the vendor's list, in its order")
    func theTableIsTheList() {
        #expect(LocalCall.allCases.map(\.name) == Self.listed)
        #expect(LocalCall.allCases.map { Int($0.rawValue) } == Array(1...46))
        for call in LocalCall.allCases {
            #expect(LocalCall(name: call.name) == call)
            let names = call.declaration.parameters.map(\.name)
            #expect(Set(names).count == names.count, "\(call.name)")
        }
        #expect(LocalCall(name: "queryEverything") == nil)
    }

    /// A valid value for each parameter.
    private static func good(_ parameter: LocalParameter) -> String {
        switch (parameter.name, parameter.kind) {
        case ("groupID", _): "crew"
        case ("userID", _), ("senderUserID", _): "bob"
        case ("conversationID", _): "bob"
        case ("reactionType", _): "+1"
        case (_, .message): "m-1"
        case (_, .messages): "m-1,m-2"
        case (_, .identifiers): "bob,carol"
        case (_, .keywords): "lift"
        case (_, .folder): "out"
        case (_, .count): "2"
        case (_, .nextFlag), (_, .time): "1"
        case (_, .position): "1000.1000.9"
        case (_, .flag): "false"
        case (_, .choice(let choices)), (_, .choices(let choices)): choices[0].name
        case (_, .text), (_, .identifier): "some"
        }
    }

    /// Each kind of invalid value (ZIM-9, rule 7); none of them is a parameter's default.
    private static func bad(_ parameter: LocalParameter) -> [String] {
        switch parameter.kind {
        case .identifier, .message, .folder: [""]
        case .identifiers(let max), .messages(let max):
            ["a,,b", ",", Array(repeating: "x", count: max + 1).joined(separator: ",")]
        case .keywords: ["a,,b", ","]
        case .text(let max): [String(repeating: "x", count: max + 1)]
        case .count(let max): ["0", "-1", String(max + 1), "many", "", "99999999999999999999"]
        case .nextFlag: ["-1", "x", "4294967296"]
        case .position: ["x", "1.x", "1.2.3.4.5", "..", "99999999999999999999"]
        case .time: ["-1", "soon", "99999999999999999999"]
        case .flag: ["maybe", ""]
        case .choice: ["nonsense", "77", ""]
        case .choices: ["nonsense", "peer,77", ","]
        }
    }

    private static func request(_ call: LocalCall, replacing name: String = "", by value: String? = nil) -> LocalRequest
    {
        let arguments = call.declaration.parameters.compactMap { parameter -> (String, String)? in
            if parameter.name == name { return value.map { (name, $0) } }
            return (parameter.name, good(parameter))
        }
        return LocalRequest(call, arguments, deviceMilliseconds: 1_000)
    }

    @Test("ZIM-9: every call answers valid arguments, given and omitted", arguments: LocalCall.allCases)
    func good(_ call: LocalCall) {
        var database = Fixture.database
        let expected: Status = call.usesFolder ? .unsupported : .ok
        let isAboutGroup =
            call.declaration.name.contains("ReceiptReadMember") || call.declaration.name.contains("UnreadMember")
        let isCombined = call == .queryCombineMessageDetail
        let message = isAboutGroup ? "g-1" : isCombined ? "g-2" : "m-1"
        let all = Self.request(
            call, replacing: call.declaration["message"]?.kind == .message ? "message" : "", by: message)
        #expect(database.answer(all).status == expected, "\(all)")
        let needed = all.arguments.filter { call.declaration[$0.name]?.defaultValue == nil }
        var few = all
        few.arguments = needed
        database = Fixture.database
        #expect(database.answer(few).status == expected, "\(few)")
    }

    @Test("ZIM-9: bad arguments are refused and change nothing", arguments: LocalCall.allCases)
    func bad(_ call: LocalCall) {
        let before = Fixture.database
        for parameter in call.declaration.parameters {
            for value in Self.bad(parameter) where value != parameter.defaultValue {
                var database = before
                let request = Self.request(call, replacing: parameter.name, by: value)
                #expect(database.answer(request).status == .invalidArgument, "\(parameter.name)=\(value.prefix(40))")
                #expect(request.rejectionReason?.hasPrefix(parameter.name) == true)
                #expect(database == before)
            }
            let without = Self.request(call, replacing: parameter.name, by: nil)
            #expect(
                (without.rejectionReason == nil) == (parameter.defaultValue != nil),
                "\(call.name) without \(parameter.name)")
        }
        let more = LocalRequest(call, [("nonsense", "1")])
        #expect(more.rejectionReason?.contains("takes no 'nonsense'") == true)
    }

    @Test("ZIM-9: a call that needs the server is recognized by its arguments, and is not answered here")
    func server() {
        let asking = LocalCall.allCases.filter { $0.declaration.parameters.contains(where: \.queriesServer) }
        #expect(asking.map { Int($0.rawValue) } == [1, 25, 26, 27, 41, 42])
        for call in asking {
            let name = call.declaration.parameters.first(where: \.queriesServer)?.name ?? ""
            let request = Self.request(call, replacing: name, by: "true")
            var database = Fixture.database
            #expect(request.rejectionReason == nil && request.queriesServer)
            #expect(database.answer(request).status == .unsupported && database == Fixture.database)
        }
    }
}
