import IMCheckers
import IMLocalData
import IMProtocol
import IMSimulation

/// Checks that local data read page by page is equal to local data read at once (ZIM-9).
enum LocalPagingCheck {
    static let kind = "the pages of local data do not add up to all data"

    /// A violation in the data of the clients whose local data is open; nil if there is none.
    static func violation(of world: SimulatedWorld) -> Violation? {
        let core = world.core
        for id in core.clients {
            guard let database = core.localDatabase(of: id), let call = failure(database) else { continue }
            return Violation(.localData, "ZIM-9", kind, "\(core.name(of: id)): \(call.declaration.name)")
        }
        return nil
    }

    /// The first call whose pages are not equal to the whole list.
    private static func failure(_ database: UserDatabase) -> LocalCall? {
        let (conversations, isSame) = pages(database, .queryConversationList, [], "nextConversation")
        guard isSame else { return .queryConversationList }
        for row in conversations {
            guard let name = row["conversationID"], let kind = row["conversationType"] else { continue }
            for reverse in ["false", "true"] {
                let arguments = [("conversationID", name), ("conversationType", kind), ("reverse", reverse)]
                guard pages(database, .queryHistoryMessage, arguments, "nextMessage").isSame else {
                    return .queryHistoryMessage
                }
            }
        }
        return lists(database).first { !pages(database, $0.call, $0.arguments, "nextFlag").isSame }?.call
    }

    /// The calls that return lists with numbered pages.
    private static func lists(_ database: UserDatabase) -> [(call: LocalCall, arguments: [(String, String)])] {
        var groups = database
        let members = groups.answer(LocalRequest(.queryGroupList)).rows.compactMap { $0["groupID"] }.map { group in
            (call: LocalCall.queryGroupMemberList, arguments: [("groupID", group)])
        }
        let all: [LocalCall] = [
            .queryFriendList, .queryBlacklist, .queryFriendApplicationList, .queryGroupApplicationList,
            .queryCallInvitationList,
        ]
        return all.map { ($0, []) } + members
    }

    /// - Parameter next: the name of the argument that has the start of a page.
    private static func pages(
        _ database: UserDatabase, _ call: LocalCall, _ arguments: [(String, String)], _ next: String
    ) -> (whole: [AnswerRow], isSame: Bool) {
        var database = database
        let whole = database.answer(LocalRequest(call, arguments + [("count", String(LocalCall.pageMax))]))
        var rows: [AnswerRow] = []
        var pageStart: String?
        repeat {
            let begin = pageStart.map { [(next, $0)] } ?? []
            let page = database.answer(LocalRequest(call, arguments + [("count", "1")] + begin))
            rows += page.rows
            pageStart = page.next.isEmpty ? nil : page.next
        } while pageStart != nil && rows.count <= whole.rows.count
        return (whole.rows, rows == whole.rows || !whole.next.isEmpty)
    }
}
