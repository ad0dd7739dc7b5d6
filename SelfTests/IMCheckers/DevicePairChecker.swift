import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// Two devices of one user that have received everything show the same: the same conversations with the same settings
/// and unread counts, the same messages, which are also the server's, and the same groups with the same members
/// (ZIM-9).
///
/// Devices on which an app changed something that stays on that device are not compared.
struct DevicePairChecker {
    private struct Account: Hashable {
        var client: String
        var user: String
    }

    /// The user whose data is open, by client.
    private var owners: [String: String] = [:]
    private var changedHere: Set<Account> = []
    /// Clients whose clock was changed. They delete messages and mark them as read up to another time.
    private var hasOwnClock: Set<String> = []
    /// Users with a wrong time in their data, and those whose account was made again.
    private var skipped: Set<String> = []
    /// Users whose messages are not compared with the server's list: they were made up, or only devices removed them.
    private var skippedOnServer: Set<String> = []
    /// Ids that devices used in a removal. A device hides a later message with such an id.
    private var removedIDs: Set<String> = []
    /// The last change with which each device has been compared.
    private var compared: [Account: UInt64] = [:]

    /// A device that is online and has received everything.
    struct Device {
        var device: DataAgreementChecker.Device
        var position: UInt64
    }

    mutating func observeServer(_ event: SessionEvent) {
        guard case .input(.serverCommand(_, let command)) = event.content else { return }
        switch command {
        case .deleteAccount(let user): skipped.insert(user)
        case .populateData(let user, _): skippedOnServer.insert(user)
        case .putChange(let user, let change):
            switch change.kind {
            case .messageRemoved, .conversationRemoved, .conversationEmptied, .readElsewhere:
                skippedOnServer.insert(user)
            case .message where change.fields["timestamp"] != nil || isRemoved(change): skippedOnServer.insert(user)
            default: break
            }
        default: break
        }
    }

    mutating func observeClient(_ event: SessionEvent, _ trace: ClientTrace) {
        switch event.content {
        case .environment(.clockSkew): hasOwnClock.insert(event.node)
        case .effect(.data(let request)): if case .open(let user) = request.action { owners[event.node] = user }
        case .input(.clientCommand(_, .send(let receiver, _, _))): noteReceiver(receiver, trace)
        case .input(.clientCommand(_, .change(let change))):
            if let user = trace.user { noteClock(event.node, user) }
            noteReceiver(change.fields["conversationID"] ?? "", trace)
        case .input(.clientCommand(_, .call(let request))):
            guard request.call.declaration.changes, let user = owners[event.node] else { return }
            if request.call == .deleteMessages { removedIDs.formUnion(request.list("messageList")) }
            noteClock(event.node, user)
            // Other devices receive changes that the server makes or that it is notified of.
            let isNotified = !request.changesToSend.isEmpty && trace.state == .online
            if !request.queriesServer && !isNotified { changedHere.insert(Account(client: event.node, user: user)) }
        default: break
        }
    }

    /// A message to one device of a user is stored only on that device and on the sender's device (CHAT-7).
    private mutating func noteReceiver(_ receiver: String, _ trace: ClientTrace) {
        let address = MessageChecker.address(receiver)
        guard address.device != nil else { return }
        skipped.insert(address.user)
        if let user = trace.user { skipped.insert(user) }
    }

    private func isRemoved(_ message: ChangeRecord) -> Bool {
        guard let id = message.fields["messageID"] else { return false }
        return removedIDs.contains(id) || removedIDs.contains("\(message.fields["senderUserID"] ?? "")/\(id)")
    }

    private mutating func noteClock(_ client: String, _ user: String) {
        if hasOwnClock.contains(client) { skipped.insert(user) }
    }

    fileprivate static let all = [("count", String(LocalCall.pageMax))]

    /// The data that one device shows.
    private struct View {
        var name: String
        /// Type and id of each conversation, with its displayed fields.
        var conversations: [String: String] = [:]
        var messages: [String: [String]] = [:]
        var members: [String: [String]] = [:]

        init(_ device: DataAgreementChecker.Device) {
            name = device.name
            var database = device.database
            for row in database.answer(LocalRequest(.queryConversationList, DevicePairChecker.all)).rows {
                let id = "\(row["conversationType"] ?? "") \(row["conversationID"] ?? "")"
                let shown = ["unreadMessageCount", "isPinned", "notificationStatus", "conversationName"]
                conversations[id] = shown.map { "\($0)=\(row[$0] ?? "")" }.joined(separator: " ")
            }
            for id in database.listedConversations {
                messages["\(id.kind.name) \(id.id)"] = database.messageNames(in: id)
            }
            for group in database.answer(LocalRequest(.queryGroupList)).rows {
                guard let id = group["groupID"] else { continue }
                let rows = database.answer(
                    LocalRequest(.queryGroupMemberList, [("groupID", id)] + DevicePairChecker.all)
                ).rows
                members[id] = rows.map { "\($0["userID"] ?? "") \($0["memberRole"] ?? "")" }
            }
        }
    }

    /// - Parameter messages: the server's messages of a user.
    mutating func violations(_ devices: [Device], messages: (String) -> [LocalMessage]) -> [Violation] {
        var violations: [Violation] = []
        for user in Set(devices.map(\.device.user)).subtracting(skipped).sorted() {
            let own = devices.filter { device in
                device.device.user == user
                    && !changedHere.contains(Account(client: device.device.name, user: user))
            }
            let isNew = own.contains { compared[Account(client: $0.device.name, user: user)] != $0.position }
            guard isNew, own.count > 1, Set(own.map(\.position)).count == 1 else { continue }
            for device in own { compared[Account(client: device.device.name, user: user)] = device.position }
            let views = own.map { View($0.device) }
            for view in views.dropFirst() { violations += [Self.violation(views[0], view)].compactMap(\.self) }
            if !skippedOnServer.contains(user) {
                let known = messages(user)
                violations += own.compactMap { Self.violation($0.device, known) }
            }
        }
        return violations
    }

    private static func violation(_ one: View, _ other: View) -> Violation? {
        for id in Set(one.conversations.keys).union(other.conversations.keys).sorted() {
            guard let here = one.conversations[id], let there = other.conversations[id] else {
                let has = one.conversations[id] != nil
                let summary = "\(id): \(has ? one.name : other.name) has it, \(has ? other.name : one.name) has not"
                return violation(one.name, "two devices of a user have other conversations", summary)
            }
            if here != there {
                let summary = "\(id): \(one.name) \(here), \(other.name) \(there)"
                return violation(one.name, "two devices of a user show other things of a conversation", summary)
            }
            if one.messages[id] != other.messages[id] {
                let (here, there) = (text(one.messages[id] ?? []), text(other.messages[id] ?? []))
                let summary = "\(id): \(one.name) \(here), \(other.name) \(there)"
                return violation(one.name, "two devices of a user have other messages", summary)
            }
        }
        for id in one.members.keys.sorted() where one.members[id] != other.members[id] {
            let summary = "\(id): \(one.name) \(one.members[id] ?? []), \(other.name) \(other.members[id] ?? [])"
            return violation(one.name, "two devices of a user show other members, or another order of them", summary)
        }
        return nil
    }

    private static func violation(_ device: DataAgreementChecker.Device, _ messages: [LocalMessage]) -> Violation? {
        var database = device.database
        let server = Dictionary(grouping: messages, by: \.conversation)
        let listed = database.listedConversations
        for id in Set(server.keys).union(listed).sorted(by: { ($0.kind.name, $0.id) < ($1.kind.name, $1.id) }) {
            let (here, there) = (database.messageNames(in: id), server[id]?.map(\.name) ?? [])
            guard Set(here) != Set(there), here.count < LocalCall.pageMax else { continue }
            let summary = "\(id.kind.name) \(id.id): \(device.name) \(text(here)), server \(text(there))"
            return violation(device.name, "a device has other messages than the server", summary)
        }
        return nil
    }

    private static func text(_ names: [String]) -> String {
        names.map { $0.replacing("\u{1F}", with: "/") }.joined(separator: " ")
    }

    private static func violation(_ node: String, _ kind: String, _ detail: String) -> Violation {
        var violation = Violation(.localData, "ZIM-9", kind, detail)
        violation.node = node
        return violation
    }
}

extension UserDatabase {
    fileprivate var listedConversations: [ConversationID] {
        var database = self
        return database.answer(LocalRequest(.queryConversationList, DevicePairChecker.all)).rows.map { row in
            let kind: ConversationID.Kind = row["conversationType"] == "group" ? .group : .peer
            return ConversationID(kind: kind, id: row["conversationID"] ?? "")
        }
    }

    /// The names of a conversation's messages, newest first.
    fileprivate mutating func messageNames(in id: ConversationID) -> [String] {
        let conversationKey = [("conversationID", id.id), ("conversationType", id.kind.name)]
        return answer(LocalRequest(.queryHistoryMessage, conversationKey + DevicePairChecker.all)).rows.map {
            MessageName(sender: $0["senderUserID"], id: $0["messageID"] ?? "").text
        }
    }
}
