import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// What others have said since a conversation was last read, here or elsewhere, is unread on a device, and nothing besides
/// (ZIM-9): counted by what its data was told and asked.
struct UnreadOracle {
    /// A message of somebody else.
    private struct Message {
        var conversation: ConversationID
        var time: Int64
        var isUnread = true
        /// Whether it is still there.
        var isHere = true
    }

    /// A user's data on a device.
    private struct Data {
        /// By their names.
        var messages: [String: Message] = [:]
        /// Names or ids of those that were taken away before they came.
        var removed: Set<String> = []
        /// Where all was taken away, or something was put in by the app: what counts there is not modelled.
        var unknown: Set<ConversationID> = []
        var isAllUnknown = false
        /// Whether it has changed since it was looked at.
        var isNew = false

        mutating func read(where condition: (Message) -> Bool) {
            for (id, message) in messages where condition(message) { messages[id]?.isUnread = false }
        }

        mutating func remove(_ text: String) {
            removed.insert(text)
            for name in names(of: text) { messages[name]?.isHere = false }
        }

        /// The messages that a name or an id stands for.
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
    /// Whose data is open, by client.
    private var owners: [String: String] = [:]
    /// Those of whose name there was an account before.
    private var removed: Set<String> = []

    mutating func seeServer(_ event: SessionEvent) {
        if case .input(.serverCommand(_, .deleteAccount(let user))) = event.content { removed.insert(user) }
    }

    mutating func seeClient(_ event: SessionEvent) {
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
                // One that is named by the database's number.
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

    func isNews(of user: String, for name: String) -> Bool { data[name]?[user]?.isNew == true }

    /// To be called where a device is online and has heard of everything.
    mutating func fault(_ device: DataAgreementOracle.Device) -> Violation? {
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
            let words = "\(shown) with \(id.id), not \(count)"
            return Violation(.localData, "ZIM-9", "other messages are unread than came since one read", words)
        }
        return nil
    }
}
