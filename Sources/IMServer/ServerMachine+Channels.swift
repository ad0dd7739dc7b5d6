import IMProtocol
import OrderedCollections
import SansIO

// Channels: members, their coming and going, messages, and what a member who was away gets afterwards (RTM-4, RTM-8).

extension ServerMachine {
    mutating func join(
        _ channel: String, user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status, members: [String] = []) {
            effects.append(
                .send(id, Frame(request: request, .joinAck(status, channel: channel, members: members))))
        }
        guard ProtocolLimit.isName(channel) else { return answer(.invalidArgument) }
        var joined = channels[channel] ?? Channel()
        guard joined.members.contains(user) || joined.members.count < policy.channelMembersMax else {
            return answer(.limitExceeded)
        }
        let isNew = joined.members.append(user).inserted
        channels[channel] = joined
        answer(.ok, members: Array(joined.members))
        replay(joined, named: channel, to: user, device: device, on: id, at: now, into: &effects)
        // A member who comes back in time was never away (RTM-4).
        if isNew { tellMembers(of: channel, about: user, joined: true, into: &effects) }
    }

    /// The connection of a member is gone or replaced; what its channels have said since it was last heard of may not
    /// have arrived (RTM-8).
    mutating func noteMissedChannels(of user: String, device: String, since heard: Instant) {
        for (name, channel) in channels where channel.members.contains(user) {
            let before = accounts[user]?.devices[device]?.channelsMissed[name]
            accounts[user]?.devices[device]?.channelsMissed[name] = before ?? heard
        }
    }

    /// What was said while a member's connection was broken, as far back and as much as the policy has it (RTM-8). What
    /// the member has already is told apart by its id. Somebody who was never in the channel missed nothing there.
    private mutating func replay(
        _ channel: Channel, named name: String, to user: String, device: String, on id: ConnectionID,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let heard = accounts[user]?.devices[device]?.channelsMissed.removeValue(forKey: name) else { return }
        let from = max(heard, now - policy.channelReplayAge)
        let missed = channel.messages.filter { $0.sentAt >= from && $0.message.from != user }
        for kept in missed.suffix(policy.channelReplayMax) {
            effects.append(.send(id, Frame(.message(kept.message))))
        }
    }

    /// A message to a channel goes to every other member who is there.
    mutating func broadcast(_ message: ChatMessage, at now: Instant, into effects: inout [ServerEffect]) {
        if policy.channelReplayMax > 0 {
            channels[message.to]?.messages.append(ChannelMessage(message: message, sentAt: now))
            let excess = (channels[message.to]?.messages.count ?? 0) - policy.channelReplayMax
            if excess > 0 { channels[message.to]?.messages.removeFirst(excess) }
        }
        for member in channels[message.to]?.members ?? [] where member != message.from {
            for id in connections(of: member) { effects.append(.send(id, Frame(.message(message)))) }
        }
    }

    /// Whether the user was in the channel.
    mutating func leave(_ channel: String, user: String, into effects: inout [ServerEffect]) -> Bool {
        guard channels[channel]?.members.remove(user) != nil else { return false }
        if channels[channel]?.members.isEmpty == true { channels.removeValue(forKey: channel) }
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
        for member in channels[channel]?.members ?? [] where member != user {
            for id in connections(of: member) { effects.append(.send(id, notice)) }
        }
    }
}
