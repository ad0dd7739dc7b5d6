import IMLocalData
import IMProtocol
import SansIO

// Receipts between users: a message has reached its receiver, or a conversation was read. All devices of the other user
// are notified (CHAT-8).

extension ServerMachine {
    /// A device has confirmed a message. If the sender requested receipts, the sender's devices are notified when the
    /// first device confirms it.
    mutating func noteDelivered(
        _ message: ChatMessage, to user: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.sendsReceipts, policy.hasUserData, message.from != user, !message.isToGroup,
            let own = self.message(MessageName(sender: message.from, id: message.id).text, of: message.from),
            own.wantsReceipts
        else { return }
        let receipt = LocalChange.delivered(message: own.name)
        let subject = receipt.record().subject
        guard accounts[message.from]?.feed.last(where: { $0.kind == .delivered && $0.subject == subject }) == nil
        else { return }
        add(receipt, to: message.from, at: now, into: &effects)
    }

    /// A user has read a conversation up to a time. The other user is notified if a message of theirs was unread until
    /// now; the messages for which receipts were requested count as read by the user. Must be called before the time is
    /// recorded.
    mutating func noteRead(
        _ id: ConversationID, by user: String, upTo time: Int64, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.sendsReceipts, policy.hasUserData, id.kind == .peer, id.id != user,
            let feed = accounts[user]?.feed, accounts[id.id]?.feed.hasBlocked(user) == false
        else { return }
        let subject = LocalChange.readElsewhere(id, upTo: time).record().subject
        var readBefore: Int64 = 0
        if case .readElsewhere(_, let time)? = feed.last(where: { $0.kind == .readElsewhere && $0.subject == subject })
            .flatMap(LocalChange.init)
        {
            readBefore = time
        }
        let messages = feed.changes.filter { $0.kind == .message }.compactMap { record -> LocalMessage? in
            guard case .message(let message)? = LocalChange(record), message.conversation == id,
                message.sender == id.id, message.timestamp > readBefore, message.timestamp <= time
            else { return nil }
            return message
        }
        guard !messages.isEmpty else { return }
        let ids = messages.filter(\.wantsReceipts).suffix(LocalCall.pageMax).map(\.name)
        add(.conversationRead(messages: ids, by: user), to: id.id, at: now, into: &effects)
    }
}
