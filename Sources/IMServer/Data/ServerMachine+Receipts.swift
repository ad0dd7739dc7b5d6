import IMLocalData
import IMProtocol
import SansIO

// Receipts between two users: one reports that a message was delivered, the other that a conversation was read. The
// server sends them to all devices of the message's sender (CHAT-8).

extension ServerMachine {
    /// Adds a delivery receipt after a device has confirmed a message, if the sender requested receipts. Only the first
    /// confirming device causes one.
    mutating func noteDelivered(
        _ message: ChatMessage, to user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.sendsReceipts, policy.hasUserData, message.from != user, !message.isToGroup,
            let own = self.message(MessageName(sender: message.from, id: message.id).text, of: message.from),
            own.wantsReceipts
        else { return }
        let receipt = LocalChange.delivered(message: own.name).record()
        guard accounts[message.from]?.feed.last(like: receipt) == nil else { return }
        add(receipt, to: message.from, at: now, into: &effects)
    }

    /// Adds a receipt to the data of the other user after a user has read a conversation up to a time, if at least one
    /// message of the other user was unread. The receipt lists the read messages for which receipts were requested.
    /// Must be called before the new time is stored, because it is compared with the stored time.
    mutating func noteRead(
        _ id: ConversationID, by user: String, upTo time: Int64, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.sendsReceipts, policy.hasUserData, id.kind == .peer, id.id != user,
            let feed = accounts[user]?.feed, accounts[id.id]?.feed.hasBlocked(user) == false
        else { return }
        let before = feed.last(like: LocalChange.readElsewhere(id, upTo: time).record()).flatMap(LocalChange.init)
        var readBefore: Int64 = 0
        if case .readElsewhere(_, let time)? = before { readBefore = time }
        let messages = feed.changes.compactMap(\.message).filter { message in
            message.conversation == id && message.sender == id.id && message.timestamp > readBefore
                && message.timestamp <= time
        }
        guard !messages.isEmpty else { return }
        let ids = messages.filter(\.wantsReceipts).suffix(LocalCall.pageMax).map(\.name)
        add(.conversationRead(messages: ids, by: user), to: id.id, at: now, into: &effects)
    }
}
