import IMClient
import IMData
import IMProtocol
import IMSession
import IMTraces

/// What others have said since a conversation was last read, here or elsewhere, is unread on a device, and nothing besides
/// (ZIM-9): counted by what its data was told and asked.
struct UnreadOracle {
    /// A user's data on a device.
    private struct Data {
        /// When each message of somebody else was said, by its name, with its conversation.
        var said: [String: (conversation: ConversationID, time: Int64)] = [:]
        var unread: [ConversationID: Int] = [:]
        /// Where something was taken away, or put in by the app: what counts there is not modelled.
        var unknown: Set<ConversationID> = []
        var isAllUnknown = false
        /// Whether it has changed since it was looked at.
        var isNew = false
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
        case .clearConversationUnreadMessageCount: data.unread[call.conversation] = 0
        case .clearConversationTotalUnreadMessageCount: data.unread = data.unread.mapValues { _ in 0 }
        case .insertMessageToLocalDB, .deleteAllMessage, .deleteMessages, .deleteConversation:
            data.unknown.insert(call.conversation)
        case .deleteAllConversationMessages, .deleteAllConversations, .importLocalMessages: data.isAllUnknown = true
        default: return
        }
        data.isNew = true
    }

    private static func took(_ change: LocalChange, of owner: String, into data: inout Data) {
        switch change {
        case .message(let message):
            guard message.sender != owner, !message.id.isEmpty, data.said[message.name] == nil else { return }
            data.said[message.name] = (message.conversation, message.timestamp)
            data.unread[message.conversation, default: 0] += 1
        case .readElsewhere(let id, let time):
            let later = data.said.values.count { $0.conversation == id && $0.time > time }
            data.unread[id] = min(data.unread[id] ?? 0, later)
        case .messagesRemoved: data.isAllUnknown = true
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
        for (id, count) in known.unread.sorted(by: { $0.key < $1.key }) where !known.unknown.contains(id) {
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
