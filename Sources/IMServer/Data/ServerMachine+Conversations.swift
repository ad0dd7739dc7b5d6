import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// The changes that a user makes to conversations, for all of the user's devices and no other user. A device that was
// away must end up in the same state as a connected one, although it never receives the removed messages (ZIM-9,
// CHAT-9).

extension ServerMachine {
    mutating func changeConversations(
        _ change: LocalChange, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        switch change {
        case .conversation(var requested):
            requested.messageTime = conversation(requested.id, of: user).messageTime
            add(.conversation(requested), to: user, at: now, into: &effects)
        case .readElsewhere(let id, let time):
            messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = latest(time, .readElsewhere, id, of: user)
                noteRead(id, by: user, upTo: time, at: now, into: &effects)
                add(.readElsewhere(id, upTo: time), to: user, at: now, into: &effects)
            }
        case .messagesRemoved(let ids):
            for id in ids.prefix(LocalCall.pageMax) { removeMessage(id, of: user, at: now, into: &effects) }
        case .conversationRemoved(let id, let time):
            let cutoffTime = messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = latest(cutoffTime, .conversationRemoved, id, of: user)
                empty(id, upTo: time, of: user)
                add(.conversationRemoved(id, upTo: time), to: user, at: now, into: &effects)
            }
        case .conversationEmptied(let id, let time):
            // Later messages are kept, however far ahead the device's clock is.
            let cutoffTime = messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = latest(cutoffTime, .conversationEmptied, id, of: user)
                let last = empty(id, upTo: time, of: user)
                add(.conversationEmptied(id, upTo: time), to: user, at: now, into: &effects)
                if let last { keepListPosition(of: id, from: last, of: user, at: now, into: &effects) }
            }
        default: break
        }
    }

    private mutating func removeMessage(
        _ id: String, of user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let gone = message(id, of: user)
        let name = MessageName(gone?.name ?? id)
        accounts.at(user) { account in
            account.feed.remove { $0.isMessage(name) }
            account.removeWaiting { $0.id == name.id && (name.sender == nil || $0.from == name.sender) }
        }
        add(.messagesRemoved([name.text]), to: user, at: now, into: &effects)
        if let gone { keepListPosition(of: gone.conversation, from: gone.timestamp, of: user, at: now, into: &effects) }
    }

    /// Keeps a conversation and its position in the list when its last message is removed: its own record stores the
    /// time of that message.
    private mutating func keepListPosition(
        of id: ConversationID, from time: Int64, of user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let changes = accounts[user]?.feed.changes ?? []
        // A message that was removed before it arrived is on no device.
        let gone = changes.reduce(into: OrderedSet<String>()) { gone, record in
            // Most changes are of another kind: these need not be decoded.
            guard record.kind == .messageRemoved, case .messagesRemoved(let names)? = LocalChange(record) else {
                return
            }
            gone.formUnion(names)
        }
        let isLater = changes.contains { record in
            guard let message = record.message else { return false }
            return message.conversation == id && message.timestamp >= time && !gone.contains(message.name)
                && !gone.contains(message.id)
        }
        var conversation = conversation(id, of: user)
        guard !isLater, conversation.messageTime < time else { return }
        conversation.messageTime = time
        add(.conversation(conversation), to: user, at: now, into: &effects)
    }

    /// Removes all messages of a conversation for the user (CHAT-9).
    ///
    /// - Returns: the time of the last one; nil if there was none.
    @discardableResult
    private mutating func empty(_ id: ConversationID, upTo time: Int64, of user: String) -> Int64? {
        var last: Int64?
        accounts.at(user) { account in
            account.feed.remove { record in
                guard let message = record.message, message.conversation == id, message.timestamp <= time else {
                    return false
                }
                last = max(last ?? message.timestamp, message.timestamp)
                return true
            }
            account.removeWaiting { $0.isOf(id.id, user: user) }
        }
        return last
    }

    /// The time up to which a conversation is read, removed or emptied. A device whose clock is slow does not move it
    /// back, because a device that comes later receives only the latest time.
    private func latest(
        _ time: Int64, _ kind: ChangeKind, _ id: ConversationID, of user: String
    ) -> Int64 {
        let known = accounts[user]?.feed.last { $0.kind == kind && LocalChange($0)?.conversationTime?.id == id }
        return max(time, known.flatMap(LocalChange.init)?.conversationTime?.time ?? time)
    }

    /// A conversation, or all conversations of the user if its name is `*`.
    func conversations(_ id: ConversationID, of user: String) -> [ConversationID] {
        guard id == .all, let feed = accounts[user]?.feed else { return [id] }
        var ids = OrderedSet(feed.population?.conversations(owner: user).map(\.id) ?? [])
        for record in feed.changes {
            if let message = record.message {
                ids.append(message.conversation)
            } else if record.kind == .conversation, case .conversation(let known)? = LocalChange(record) {
                ids.append(known.id)
            }
        }
        return Array(ids)
    }

    /// The server's state of a conversation; the initial state if it has none.
    func conversation(_ id: ConversationID, of user: String) -> LocalConversation {
        guard let feed = accounts[user]?.feed else { return LocalConversation(id: id) }
        let subject = LocalChange.conversation(LocalConversation(id: id)).record().subject
        let record = feed.last { $0.kind == .conversation && $0.subject == subject }
        if case .conversation(let conversation)? = record.flatMap(LocalChange.init) { return conversation }
        return feed.population?.conversations(owner: user).first { $0.id == id } ?? LocalConversation(id: id)
    }
}

extension ChangeRecord {
    fileprivate var message: LocalMessage? {
        guard kind == .message, case .message(let message)? = LocalChange(self) else { return nil }
        return message
    }
}

extension LocalChange {
    /// The conversation and the time up to which it was read, removed or emptied.
    fileprivate var conversationTime: (id: ConversationID, time: Int64)? {
        switch self {
        case .readElsewhere(let id, let time), .conversationRemoved(let id, let time),
            .conversationEmptied(let id, let time):
            (id, time)
        default: nil
        }
    }
}
