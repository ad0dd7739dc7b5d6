import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// The changes that a user makes to conversations. They apply to all devices of this user, and to no other user. A
// disconnected device must reach the same state as a connected one, although it never receives the removed messages
// (ZIM-9, CHAT-9).

extension ServerMachine {
    mutating func changeConversations(
        _ change: LocalChange, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        switch change {
        case .conversation(var requested):
            requested.messageTime = conversation(requested.id, of: user).messageTime
            add(.conversation(requested), to: user, at: now, into: &effects)
        case .readElsewhere(let id, let time):
            // Messages after now remain unread, even if the clock of the requesting device is ahead.
            let cutoffTime = messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = laterTime(cutoffTime, .readElsewhere, id, of: user)
                noteRead(id, by: user, upTo: time, at: now, into: &effects)
                add(.readElsewhere(id, upTo: time), to: user, at: now, into: &effects)
            }
        case .messagesRemoved(let ids):
            for id in ids.prefix(LocalCall.pageMax) { removeMessage(id, of: user, at: now, into: &effects) }
        case .conversationRemoved(let id, let time):
            let cutoffTime = messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = laterTime(cutoffTime, .conversationRemoved, id, of: user)
                empty(id, upTo: time, of: user)
                add(.conversationRemoved(id, upTo: time), to: user, at: now, into: &effects)
            }
        case .conversationEmptied(let id, let time):
            // Messages after now remain, even if the clock of the requesting device is ahead.
            let cutoffTime = messageTimes.cutoff(time, at: wallClock(at: now))
            for id in conversations(id, of: user) {
                let time = laterTime(cutoffTime, .conversationEmptied, id, of: user)
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
        let removed = message(id, of: user)
        let name = MessageName(removed?.name ?? id)
        accounts.at(user) { account in
            account.feed.remove { $0.isMessage(name) }
            account.removeWaiting { $0.id == name.id && (name.sender == nil || $0.from == name.sender) }
        }
        add(.messagesRemoved([name.text]), to: user, at: now, into: &effects)
        if let removed {
            keepListPosition(
                of: removed.conversation, from: removed.timestamp, of: user, at: now, into: &effects)
        }
    }

    /// Keeps a conversation and its position in the list after its last message was removed. For this, the record of
    /// the conversation stores the time of the removed message.
    private mutating func keepListPosition(
        of id: ConversationID, from time: Int64, of user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let changes = accounts[user]?.feed.changes ?? []
        // The names of the removed messages: a message that was removed before it arrived is on no device.
        let removed = changes.reduce(into: OrderedSet<String>()) { removed, record in
            // The check of the kind avoids decoding the other changes, which are most of them.
            guard record.kind == .messageRemoved, case .messagesRemoved(let names)? = LocalChange(record) else {
                return
            }
            removed.formUnion(names)
        }
        let isLater = changes.contains { record in
            guard let message = record.message else { return false }
            return message.conversation == id && message.timestamp >= time && !removed.contains(message.name)
                && !removed.contains(message.id)
        }
        var conversation = conversation(id, of: user)
        guard !isLater, conversation.messageTime < time else { return }
        conversation.messageTime = time
        add(.conversation(conversation), to: user, at: now, into: &effects)
    }

    /// Removes the messages of a conversation up to a time for one user (CHAT-9).
    ///
    /// - Returns: the time of the last removed message; nil if no message was removed.
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

    /// The later one of a requested and the stored time up to which a conversation is read, removed or emptied. A
    /// device with a slow clock must not move the stored time back: a device that connects later receives only the
    /// latest change.
    private func laterTime(
        _ time: Int64, _ kind: ChangeKind, _ id: ConversationID, of user: String
    ) -> Int64 {
        let stored = accounts[user]?.feed.last { $0.kind == kind && LocalChange($0)?.conversationTime?.id == id }
        return max(time, stored.flatMap(LocalChange.init)?.conversationTime?.time ?? time)
    }

    /// The conversation with this id. For ``ConversationID/all``, all conversations of the user.
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

    /// The stored state of a conversation; the initial state if the server stores none.
    func conversation(_ id: ConversationID, of user: String) -> LocalConversation {
        guard let feed = accounts[user]?.feed else { return LocalConversation(id: id) }
        let record = feed.last(like: LocalChange.conversation(LocalConversation(id: id)).record())
        if case .conversation(let conversation)? = record.flatMap(LocalChange.init) { return conversation }
        return feed.population?.conversations(owner: user).first { $0.id == id } ?? LocalConversation(id: id)
    }
}

extension LocalChange {
    /// The conversation, and the time up to which the change reads, removes or empties it.
    fileprivate var conversationTime: (id: ConversationID, time: Int64)? {
        switch self {
        case .readElsewhere(let id, let time), .conversationRemoved(let id, let time),
            .conversationEmptied(let id, let time):
            (id, time)
        default: nil
        }
    }
}
