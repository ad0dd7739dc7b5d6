import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// The readers of a message and the reactions to it, according to the granted requests, are the same on every device
/// that has the message (ZIM-9).
struct ReactionChecker {
    private struct Reaction: Hashable {
        var type: String
        var user: String
    }

    private struct Message {
        var conversation: ConversationID
        var sender: String
        var reactions: Set<Reaction> = []
        var readers: Set<String> = []
    }

    private var messages: [String: Message] = [:]
    /// True if a user is blocked. That user's devices may lack messages.
    private var isAnyUserBlocked = false
    /// Ids that more than one user has used.
    private var ambiguous: Set<String> = []
    private var granted = GrantedChanges()
    private var checkedClients = CheckedClients()

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount)), .input(.serverCommand(_, .putChange)): messages.removeAll()
        default: break
        }
        if let (user, change) = granted.next(event, trace) { grant(change, to: user) }
    }

    private mutating func grant(_ change: LocalChange, to user: String) {
        switch change {
        case .message(let message):
            guard !message.id.isEmpty, !message.text.isEmpty else { return }
            if let known = messages[message.id], known.sender != user { ambiguous.insert(message.id) }
            if messages[message.id] == nil {
                messages[message.id] = Message(conversation: message.conversation, sender: user)
            }
        case .reaction(let id, let reaction, let isOn):
            let own = Reaction(type: reaction.type, user: user)
            if isOn { messages[id]?.reactions.insert(own) } else { messages[id]?.reactions.remove(own) }
            checkedClients.change()
        case .read(let ids, _):
            // A user who must not receive a message cannot read it. The members of groups are not known here.
            for id in ids {
                guard let message = messages[id], message.sender != user else { continue }
                if message.conversation.kind == .group { ambiguous.insert(id) }
                if message.conversation.id == user { messages[id]?.readers.insert(user) }
            }
            checkedClients.change()
        case .blacklisted: isAnyUserBlocked = true
        case .messageRevoked(let id): messages[id] = nil
        case .messagesRemoved(let ids): for id in ids { messages[id] = nil }
        // The messages that it marks as read depend on earlier changes.
        case .readElsewhere, .conversationRemoved, .conversationEmptied, .groupRemoved, .memberRemoved:
            messages.removeAll()
        default: break
        }
    }

    func needsCheck(for name: String) -> Bool {
        checkedClients.needsCheck(for: name) && !messages.isEmpty && !isAnyUserBlocked
    }

    /// Call it if a device is online and has received everything.
    mutating func violation(_ device: DataAgreementChecker.Device) -> Violation? {
        guard needsCheck(for: device.name) else { return nil }
        checkedClients.markChecked(at: device.name)
        var database = device.database
        for (id, message) in messages.sorted(by: { $0.key < $1.key })
        where !ambiguous.contains(id) && (!message.reactions.isEmpty || !message.readers.isEmpty) {
            var conversation = message.conversation
            if conversation.kind == .peer, message.sender != device.user {
                guard conversation.id == device.user else { continue }
                conversation.id = message.sender
            }
            let conversationKey = [("conversationID", conversation.id), ("conversationType", conversation.kind.name)]
            let count = ("count", String(LocalCall.pageMax))
            let rows = database.answer(LocalRequest(.queryHistoryMessage, conversationKey + [count])).rows
            guard rows.contains(where: { $0["messageID"] == id }) else { continue }
            for type in Set(message.reactions.map(\.type)).sorted() {
                let arguments = [("message", id), ("reactionType", type), count]
                let shown = database.answer(LocalRequest(.queryMessageReactionUserList, arguments)).rows
                let users = message.reactions.filter { $0.type == type }.map(\.user).sorted()
                guard shown.compactMap({ $0["userID"] }).sorted() != users else { continue }
                let detail = "\(type) of \(users) to \(id)"
                return Violation(.localData, "ZIM-9", "a device shows other reactions than were made", detail)
            }
            let receipts = database.answer(
                LocalRequest(.queryMessageReceiptsInfo, conversationKey + [("messageList", id)])
            ).rows
            guard let shown = receipts.first?["readMemberCount"], shown != String(message.readers.count) else {
                continue
            }
            let detail = "\(shown) have read \(id), not \(message.readers.count)"
            return Violation(.localData, "ZIM-9", "a device shows other readers than there are", detail)
        }
        return nil
    }
}
