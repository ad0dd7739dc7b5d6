import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// A device that has received everything shows the latest data that the server sent about users, friends, groups,
/// members and conversations. Only the server changes these data (ZIM-9).
struct DisplayedDataChecker {
    /// The latest change of each subject, by user and subject.
    private var latest: [String: [String: ChangeRecord]] = [:]
    /// The change number of each message, by user. A message that was sent twice is present once (C-14).
    private var messages: [String: [String: UInt64]] = [:]
    /// The messages that the operator made up.
    private var madeUp: Set<String> = []
    /// The clients on which messages were deleted, and the users for whom the server removed some.
    private var shortened: Set<String> = []
    private var shortenedUsers: Set<String> = []
    /// The revoked messages, by user.
    private var revoked: [String: Set<String>] = [:]
    /// Deleted users. Devices keep data of an earlier account of the same name.
    private var removed: Set<String> = []
    /// The last change with which each device has been compared.
    private var compared: [String: UInt64] = [:]
    /// The clients on which messages were deleted only together, in one conversation or in all, and never one by one.
    private var emptied: Set<String> = []
    /// The clients on which conversations were removed from the list.
    private var bare: Set<String> = []

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            (latest[user], revoked[user], messages[user]) = (nil, nil, nil)
            removed.insert(user)
        case .input(.serverCommand(_, .putChange(_, let change))):
            if let id = change.fields["messageID"] { madeUp.insert(id) }
        case .effect(.send(let connection, let frame)):
            guard case .changes(let page) = frame.body, let user = trace.carried[connection]?.slot.user,
                !removed.contains(user)
            else { return }
            for change in page.changes { take(change, of: user, into: &violations) }
        default: break
        }
    }

    /// A conversation that a user removes from the list on one device only returns without its settings, with the next
    /// message.
    mutating func observeClient(_ event: SessionEvent) {
        guard case .input(.clientCommand(_, .call(let request))) = event.content else { return }
        switch request.call {
        case .deleteConversation, .deleteAllConversations: bare.insert(event.node)
        case .deleteMessages, .deleteAllMessage, .deleteAllConversationMessages, .importLocalMessages:
            if [.deleteAllMessage, .deleteAllConversationMessages].contains(request.call) {
                if !shortened.contains(event.node) { emptied.insert(event.node) }
            } else {
                emptied.remove(event.node)
            }
            shortened.insert(event.node)
        default: break
        }
    }

    private mutating func take(_ change: ChangeRecord, of user: String, into violations: inout [Violation]) {
        // A new account of the same name has no record of the ids that were used before.
        if change.kind == .message, let id = change.fields["messageID"], !madeUp.contains(id),
            !removed.contains(change.fields["senderUserID"] ?? ""),
            // A message between two devices of one user is in a separate conversation on each (CHAT-7).
            change.fields["senderUserID"]?.hasPrefix("\(user)/") != true,
            change.fields["conversationID"]?.hasPrefix("\(user)/") != true,
            messages[user, default: [:]].updateValue(change.number, forKey: change.messageName).map({
                $0 != change.number
            }) == true
        {
            violations.append(Violation(.localData, "C-14", "a message is in the data twice", id))
        }
        switch change.kind {
        case .messageRemoved, .conversationRemoved, .conversationEmptied: shortenedUsers.insert(user)
        default: break
        }
        if change.kind == .messageRevoked { revoked[user, default: []].insert(change.messageName) }
        guard let subject = change.subject, Self.isShown(change.kind),
            change.number > latest[user]?[subject]?.number ?? 0
        else { return }
        latest[user, default: [:]][subject] = change
        guard case .groupRemoved = change.kind, let group = change.fields["groupID"] else { return }
        latest[user] = latest[user]?.filter { $0.value.kind != .member || $0.value.fields["groupID"] != group }
    }

    private static func isShown(_ kind: ChangeKind) -> Bool {
        switch kind {
        case .user, .friend, .friendRemoved, .group, .groupRemoved, .member, .memberRemoved, .conversation: true
        default: false
        }
    }

    /// True if there are changes with which the device has not been compared.
    func needsCheck(of user: String, for name: String, at position: UInt64) -> Bool {
        compared[name] != position && position > 0 && !removed.contains(user)
    }

    /// Call it if a device is online and has received everything.
    ///
    /// - Parameter position: the last change to compare with.
    mutating func violation(_ device: DataAgreementChecker.Device, at position: UInt64) -> Violation? {
        guard needsCheck(of: device.user, for: device.name, at: position) else { return nil }
        compared[device.name] = position
        var database = device.database
        if let text = database.revokedText(revoked[device.user] ?? []) {
            return Violation(.localData, "ZIM-9", "a message that was taken back can still be read", "'\(text)'")
        }
        if !bare.contains(device.name), !shortenedUsers.contains(device.user),
            !shortened.contains(device.name) || emptied.contains(device.name),
            let detail = database.unreadBesideReceived(empty: shortened.contains(device.name))
        {
            return Violation(.localData, "ZIM-9", "more messages are unread than have come", detail)
        }
        for (_, change) in (latest[device.user] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard change.kind != .conversation || !bare.contains(device.name),
                let (request, names) = Self.question(about: change),
                let row = database.answer(request).rows.first
            else { continue }
            for name in names where Self.plain(row[name]) != Self.plain(change.fields[name]) {
                let detail = "\(name) is '\(row[name] ?? "")', the server said '\(change.fields[name] ?? "")'"
                return Violation(.localData, "ZIM-9", "a device shows something else than the server said", detail)
            }
        }
        return nil
    }

    /// A call that shows the subject, and the fields that have the same name in its answer and in the change.
    private static func question(about change: ChangeRecord) -> (LocalRequest, [String])? {
        func request(_ call: LocalCall, _ names: String..., as argument: String? = nil) -> LocalRequest {
            LocalRequest(call, names.map { (argument ?? $0, change.fields[$0] ?? "") })
        }
        let person = ["userName", "userAvatarUrl", "userExtendedData"]
        switch change.kind {
        case .user: return (request(.queryUsersInfo, "userID", as: "userIDs"), person)
        case .friend:
            return (request(.queryFriendsInfo, "userID", as: "userIDs"), ["friendAlias", "createTime", "wording"])
        case .group:
            return (request(.queryGroupInfo, "groupID"), ["groupName", "groupAvatarUrl", "groupAlias", "groupNotice"])
        case .member:
            let names = ["memberNickname", "memberRole", "muteExpiredTime"]
            return (request(.queryGroupMemberInfo, "groupID", "userID"), names)
        case .conversation:
            // If the server sends no name, the user's or the group's name is shown.
            let hasName = change.fields["conversationName"]?.isEmpty == false
            let names = (hasName ? ["conversationName"] : []) + ["conversationAlias", "isPinned", "marks"]
            return (request(.queryConversation, "conversationID", "conversationType"), names)
        default: return nil
        }
    }

    /// Default values are omitted from changes.
    private static func plain(_ value: String?) -> String {
        switch value {
        case nil, "false", "0": ""
        case let value?: value
        }
    }
}

extension ChangeRecord {
    /// The name of the message. The ids alone are not unique, because each user chooses them for their own messages
    /// (C-14).
    fileprivate var messageName: String {
        MessageName(sender: fields["senderUserID"], id: fields["messageID"] ?? "").text
    }
}

extension UserDatabase {
    /// The first problem of a conversation, by the list and its messages; nil if there is none.
    private mutating func first(_ violation: (_ conversation: AnswerRow, _ latest: () -> LocalAnswer) -> String?)
        -> String?
    {
        let all = [("count", String(LocalCall.pageMax))]
        for conversation in answer(LocalRequest(.queryConversationList, all)).rows {
            let conversationKey = ["conversationID", "conversationType"].map { ($0, conversation[$0] ?? "") }
            let detail = violation(conversation) { answer(LocalRequest(.queryHistoryMessage, conversationKey + all)) }
            if let detail { return detail }
        }
        return nil
    }

    /// The text of a revoked message that can still be read.
    fileprivate mutating func revokedText(_ revoked: Set<String>) -> String? {
        guard !revoked.isEmpty else { return nil }
        return first { _, latest in
            latest().rows.first { row in
                let id = row["messageID"] ?? ""
                let name = MessageName(sender: row["senderUserID"], id: id).text
                return (revoked.contains(id) || revoked.contains(name)) && row["message"]?.isEmpty == false
            }?["message"]
        }
    }

    /// A conversation with more unread messages than received ones; with `empty`, one with unread messages and no
    /// messages at all.
    fileprivate mutating func unreadBesideReceived(empty: Bool = false) -> String? {
        first { conversation, latest in
            guard let unread = Int(conversation["unreadMessageCount"] ?? ""), unread > 0 else { return nil }
            let page = latest()
            let received = page.rows.count { $0["direction"] == "receive" }
            guard page.next.isEmpty, unread > received, !empty || page.rows.isEmpty else { return nil }
            return "\(unread) of \(received) with \(conversation["conversationID"] ?? "")"
        }
    }
}
