import IMProtocol
import OrderedCollections
import SansIO

// Messages between users, and channels.

extension ServerMachine {
    /// Takes a message in, once (C-14), and hands it to every connection of the receiver.
    mutating func takeIn(
        _ message: ChatMessage, from user: String, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status) { effects.append(.send(id, Frame(.sendAck(status, id: message.id)))) }
        guard ProtocolLimit.isText(message.id, bytesMax: 2 * ProtocolLimit.nameBytesMax), !message.id.isEmpty,
            message.text.utf8.count <= ProtocolLimit.textBytesMax
        else { return answer(.invalidArgument) }
        guard accounts[message.to] != nil else { return answer(.notFound) }
        let isKnown = accounts[user]?.knownMessages.contains(message.id) ?? false
        let receivers = connections(of: message.to)
        if !isKnown {
            accounts[user]?.knownMessages.append(message.id)
            let excess = (accounts[user]?.knownMessages.count ?? 0) - policy.messagesStoredMax
            if excess > 0 { accounts[user]?.knownMessages.removeFirst(excess) }
            // The sender is who logged in, whatever the frame says.
            let stored = ChatMessage(id: message.id, from: user, to: message.to, text: message.text)
            let full = (accounts[message.to]?.inbox.count ?? 0) >= policy.messagesStoredMax
            if full { accounts[message.to]?.inbox.removeFirst() }
            accounts[message.to]?.inbox.append(stored)
            for receiver in receivers { effects.append(.send(receiver, Frame(.message(stored)))) }
        }
        answer(receivers.isEmpty ? .stored : .ok)
    }

    /// What waits for a user goes out; it is forgotten when the client confirms it.
    func deliverStored(to user: String, on id: ConnectionID, into effects: inout [ServerEffect]) {
        for message in accounts[user]?.inbox ?? [] { effects.append(.send(id, Frame(.message(message)))) }
    }

    mutating func join(
        _ channel: String, user: String, request: UInt32, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status, members: [String] = []) {
            effects.append(
                .send(id, Frame(request: request, .joinAck(status, channel: channel, members: members))))
        }
        guard ProtocolLimit.isName(channel) else { return answer(.invalidArgument) }
        var members = channels[channel] ?? []
        guard members.contains(user) || members.count < policy.channelMembersMax else {
            return answer(.limitExceeded)
        }
        let isNew = members.append(user).inserted
        channels[channel] = members
        answer(.ok, members: Array(members))
        // A member who comes back in time was never away (RTM-4).
        if isNew { tellMembers(of: channel, about: user, joined: true, into: &effects) }
    }

    /// Whether the user was in the channel.
    mutating func leave(_ channel: String, user: String, into effects: inout [ServerEffect]) -> Bool {
        guard channels[channel]?.remove(user) != nil else { return false }
        if channels[channel]?.isEmpty == true { channels.removeValue(forKey: channel) }
        tellMembers(of: channel, about: user, joined: false, into: &effects)
        return true
    }

    mutating func leaveAllChannels(user: String, into effects: inout [ServerEffect]) {
        for channel in Array(channels.keys) { _ = leave(channel, user: user, into: &effects) }
    }

    private func tellMembers(
        of channel: String, about user: String, joined: Bool, into effects: inout [ServerEffect]
    ) {
        let notice = Frame(.memberChanged(channel: channel, user: user, joined: joined))
        for member in channels[channel] ?? [] where member != user {
            for id in connections(of: member) { effects.append(.send(id, notice)) }
        }
    }
}
