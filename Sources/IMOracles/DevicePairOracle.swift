import IMClient
import IMData
import IMProtocol
import IMServer
import IMSession
import IMTraces

/// Two devices of one user that have received everything show the same: the same conversations with the same settings, as
/// many unread messages, the same messages, and those are the messages that the server has; the same groups with the same
/// members (ZIM-9).
///
/// Devices on which an app changed something that stays on that device are not compared.
struct DevicePairOracle {
    private struct Account: Hashable {
        var client: String
        var user: String
    }

    /// Whose data is open, by client.
    private var owners: [String: String] = [:]
    private var changedHere: Set<Account> = []
    /// Those whose clock was set: what they delete and read is so up to another time.
    private var hasOwnClock: Set<String> = []
    /// Users with a wrong time in their data, and those whose account was made again.
    private var skipped: Set<String> = []
    /// Users of whose messages the server's list says nothing: they were made up, or only devices removed them.
    private var skippedOnServer: Set<String> = []
    /// Up to which change each device has been compared.
    private var compared: [Account: UInt64] = [:]

    /// A device that is online and has received everything.
    struct Device {
        var device: DataAgreementOracle.Device
        var position: UInt64
    }

    mutating func seeServer(_ event: SessionEvent) {
        guard case .input(.serverCommand(_, let command)) = event.content else { return }
        switch command {
        case .deleteAccount(let user): skipped.insert(user)
        case .populateData(let user, _): skippedOnServer.insert(user)
        case .putChange(let user, let change):
            switch change.kind {
            case .messageRemoved, .conversationRemoved, .conversationEmptied, .readElsewhere:
                skippedOnServer.insert(user)
            case .message where change.fields["timestamp"] != nil: skippedOnServer.insert(user)
            default: break
            }
        default: break
        }
    }

    mutating func seeClient(_ event: SessionEvent, _ trace: ClientTrace) {
        switch event.content {
        case .environment(.clockSkew): hasOwnClock.insert(event.node)
        case .effect(.data(let request)): if case .open(let user) = request.action { owners[event.node] = user }
        case .input(.clientCommand(_, .change)): if let user = trace.user { noteClock(event.node, user) }
        case .input(.clientCommand(_, .call(let request))):
            guard request.call.declaration.changes, let user = owners[event.node] else { return }
            noteClock(event.node, user)
            // Others follow what the server does, and what it is told.
            let isTold = !request.changesToTell.isEmpty && trace.state == .online
            if !request.asksServer && !isTold { changedHere.insert(Account(client: event.node, user: user)) }
        default: break
        }
    }

    private mutating func noteClock(_ client: String, _ user: String) {
        if hasOwnClock.contains(client) { skipped.insert(user) }
    }

    /// What one device shows.
    private struct View {
        var name: String
        /// Type and id of each conversation, with what is shown of it.
        var conversations: [String: String] = [:]
        var messages: [String: [String]] = [:]
        var members: [String: [String]] = [:]
        private static let all = [("count", String(LocalCall.pageMax))]

        init(_ device: DataAgreementOracle.Device) {
            name = device.name
            var database = device.database
            for row in database.answer(LocalRequest(.queryConversationList, Self.all)).rows {
                let place = ["conversationID", "conversationType"].map { ($0, row[$0] ?? "") }
                let id = "\(row["conversationType"] ?? "") \(row["conversationID"] ?? "")"
                let shown = ["unreadMessageCount", "isPinned", "notificationStatus", "conversationName"]
                conversations[id] = shown.map { "\($0)=\(row[$0] ?? "")" }.joined(separator: " ")
                let history = database.answer(LocalRequest(.queryHistoryMessage, place + Self.all)).rows
                messages[id] = history.map {
                    MessageName(sender: $0["senderUserID"], id: $0["messageID"] ?? "").text
                }
            }
            for group in database.answer(LocalRequest(.queryGroupList)).rows {
                guard let id = group["groupID"] else { continue }
                let rows = database.answer(LocalRequest(.queryGroupMemberList, [("groupID", id)] + Self.all)).rows
                members[id] = rows.map { "\($0["userID"] ?? "") \($0["memberRole"] ?? "")" }
            }
        }
    }

    /// - Parameter messages: those that the server has of a user.
    mutating func faults(_ devices: [Device], messages: (String) -> [LocalMessage]) -> [Violation] {
        var faults: [Violation] = []
        for user in Set(devices.map(\.device.user)).subtracting(skipped).sorted() {
            let own = devices.filter { device in
                device.device.user == user
                    && !changedHere.contains(Account(client: device.device.name, user: user))
            }
            let isNew = own.contains { compared[Account(client: $0.device.name, user: user)] != $0.position }
            guard isNew, own.count > 1, Set(own.map(\.position)).count == 1 else { continue }
            for device in own { compared[Account(client: device.device.name, user: user)] = device.position }
            let views = own.map { View($0.device) }
            for view in views.dropFirst() { faults += [Self.fault(views[0], view)].compactMap(\.self) }
            if !skippedOnServer.contains(user) {
                faults += views.compactMap { Self.fault($0, messages(user)) }
            }
        }
        return faults
    }

    private static func fault(_ one: View, _ other: View) -> Violation? {
        for id in Set(one.conversations.keys).union(other.conversations.keys).sorted() {
            guard let here = one.conversations[id], let there = other.conversations[id] else {
                let has = one.conversations[id] != nil
                let words = "\(id): \(has ? one.name : other.name) has it, \(has ? other.name : one.name) has not"
                return fault(one, "two devices of a user have other conversations", words)
            }
            if here != there {
                let words = "\(id): \(one.name) \(here), \(other.name) \(there)"
                return fault(one, "two devices of a user show other things of a conversation", words)
            }
            if one.messages[id] != other.messages[id] {
                let words = "\(id): \(one.name) \(one.messages[id] ?? []), \(other.name) \(other.messages[id] ?? [])"
                return fault(one, "two devices of a user have other messages", words)
            }
        }
        for id in one.members.keys.sorted() where one.members[id] != other.members[id] {
            let words = "\(id): \(one.name) \(one.members[id] ?? []), \(other.name) \(other.members[id] ?? [])"
            return fault(one, "two devices of a user show other members, or another order of them", words)
        }
        return nil
    }

    private static func fault(_ view: View, _ messages: [LocalMessage]) -> Violation? {
        let server = Dictionary(grouping: messages) { "\($0.conversation.kind.name) \($0.conversation.id)" }
            .mapValues { Set($0.map(\.name)) }
        for id in Set(server.keys).union(view.messages.keys).sorted() {
            let (here, there) = (Set(view.messages[id] ?? []), server[id] ?? [])
            guard here != there, here.count < LocalCall.pageMax else { continue }
            let words = "\(id): \(view.name) \(here.sorted()), server \(there.sorted())"
            return fault(view, "a device has other messages than the server", words)
        }
        return nil
    }

    private static func fault(_ view: View, _ kind: String, _ detail: String) -> Violation {
        var fault = Violation(.localData, "ZIM-9", kind, detail.replacing("\u{1F}", with: "/"))
        fault.node = view.name
        return fault
    }
}
