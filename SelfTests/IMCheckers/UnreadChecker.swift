import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// The unread messages on a device are exactly those from others that arrived after the conversation was last read, on
/// this device or another (ZIM-9). The checker counts them from the changes and calls of the local data.
struct UnreadChecker {
    /// A message from another user.
    private struct Message {
        var conversation: ConversationID
        var time: Int64
        var isUnread = true
        /// True if it has not been removed.
        var isHere = true
    }

    /// A user's data on a device.
    private struct Data {
        /// The messages, by name.
        var messages: [String: Message] = [:]
        /// Names or ids of messages that were removed before they arrived.
        var removed: Set<String> = []
        /// Conversations whose messages were all removed, or into which the app inserted messages. Their count is not
        /// modelled.
        var unknown: Set<ConversationID> = []
        var isAllUnknown = false
        /// True if it has changed since the last check.
        var isNew = false

        mutating func read(where condition: (Message) -> Bool) {
            for (id, message) in messages where condition(message) { messages[id]?.isUnread = false }
        }

        mutating func remove(_ text: String) {
            removed.insert(text)
            for name in names(of: text) { messages[name]?.isHere = false }
        }

        /// The messages with this name or id.
        func names(of text: String) -> [String] {
            if messages[text] != nil { return [text] }
            let wanted = MessageName(text)
            return messages.keys.filter { name in
                let name = MessageName(name)
                return name.id == wanted.id && (wanted.sender == nil || wanted.sender == name.sender)
            }
        }
    }

    private var data: [String: [String: Data]] = [:]
    /// The user whose data is open, by client.
    private var owners: [String: String] = [:]
    /// Users whose account was deleted.
    private var removed: Set<String> = []

    mutating func observeServer(_ event: SessionEvent) {
        if case .input(.serverCommand(_, .deleteAccount(let user))) = event.content { removed.insert(user) }
    }

    mutating func observeClient(_ event: SessionEvent) {
        guard case .effect(.data(let request)) = event.content else { return }
        switch request.action {
        case .open(let user): owners[event.node] = user
        case .call(_, let call):
            guard let owner = owners[event.node] else { return }
            Self.asked(call, of: &data[event.node, default: [:]][owner, default: Data()])
        case .apply(let page):
            guard let owner = owners[event.node] else { return }
            for record in page.changes {
                guard let change = LocalChange(record) else { continue }
                Self.took(change, of: owner, into: &data[event.node, default: [:]][owner, default: Data()])
            }
        case .close, .tree: break
        }
    }

    private static func asked(_ call: LocalRequest, of data: inout Data) {
        switch call.call {
        case .clearConversationUnreadMessageCount, .deleteConversation:
            data.read { $0.conversation == call.conversation }
        case .clearConversationTotalUnreadMessageCount, .deleteAllConversations: data.read { _ in true }
        case .deleteMessages:
            for id in call.list("messageList") {
                switch data.names(of: id).first.flatMap({ data.messages[$0]?.conversation }) {
                case call.conversation: data.remove(id)
                // The id is a number of the database.
                case nil: data.unknown.insert(call.conversation)
                default: break
                }
            }
        case .insertMessageToLocalDB, .deleteAllMessage: data.unknown.insert(call.conversation)
        case .deleteAllConversationMessages, .importLocalMessages: data.isAllUnknown = true
        default: return
        }
        data.isNew = true
    }

    private static func took(_ change: LocalChange, of owner: String, into data: inout Data) {
        switch change {
        case .message(let message):
            guard message.sender != owner, !message.id.isEmpty, data.messages[message.name] == nil,
                !data.removed.contains(message.name), !data.removed.contains(message.id)
            else { return }
            data.messages[message.name] = Message(conversation: message.conversation, time: message.timestamp)
        case .readElsewhere(let id, let time): data.read { $0.conversation == id && $0.time <= time }
        case .messagesRemoved(let ids): for id in ids { data.remove(id) }
        case .conversationRemoved(let id, _), .conversationEmptied(let id, _): data.unknown.insert(id)
        default: return
        }
        data.isNew = true
    }

    func needsCheck(of user: String, for name: String) -> Bool { data[name]?[user]?.isNew == true }

    /// Call it if a device is online and has received everything.
    mutating func violation(_ device: DataAgreementChecker.Device) -> Violation? {
        guard let known = data[device.name]?[device.user], known.isNew, !removed.contains(device.user) else {
            return nil
        }
        data[device.name]?[device.user]?.isNew = false
        guard !known.isAllUnknown else { return nil }
        var database = device.database
        let counts = known.messages.values.reduce(into: [ConversationID: Int]()) { counts, message in
            counts[message.conversation, default: 0] += message.isUnread && message.isHere ? 1 : 0
        }
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) where !known.unknown.contains(id) {
            let asked = [("conversationID", id.id), ("conversationType", id.kind.name)]
            guard let row = database.answer(LocalRequest(.queryConversation, asked)).rows.first,
                let shown = row["unreadMessageCount"], shown != String(count)
            else { continue }
            let detail = "\(shown) with \(id.id), not \(count)"
            return Violation(.localData, "ZIM-9", "other messages are unread than came since one read", detail)
        }
        return nil
    }
}
