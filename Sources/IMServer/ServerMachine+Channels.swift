import IMProtocol
import OrderedCollections
import SansIO

// Channels: members, joining and leaving, messages, and their replay to members who were away (RTM-4, RTM-8). A user is
// a member as long as one of the user's logins is in the channel; messages go to those devices.

extension ServerMachine {
    mutating func join(
        _ channel: String, user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let (status, isNew) = enter(channel, user: user, device: device, at: now)
        nameMembers(of: channel, status, request: request, to: id, into: &effects)
        guard status == .ok else { return }
        replay(channel, to: user, device: device, on: id, at: now, into: &effects)
        // A member who comes back in time was never away (RTM-4).
        if isNew { notifyMembers(of: channel, about: user, joined: true, into: &effects) }
    }

    /// Lists all members of a channel: in the answer to a join, and whenever its client may have missed a change
    /// (C-15).
    func nameMembers(
        of channel: String, _ status: Status = .ok, request: UInt32, to id: ConnectionID,
        into effects: inout [ServerEffect]
    ) {
        let members = status == .ok ? Array(channels[channel]?.members.keys ?? []) : []
        let pages = FramePages.split(members).map { FrameBody.joinAck(status, channel: channel, members: $0) }
        for frame in FramePages.frames(request: request, pages) { effects.append(.send(id, frame)) }
    }

    /// Makes a login a member, which it may be already.
    ///
    /// The request is refused if it exceeds a limit: of members of the channel, of channels of the login, or of all
    /// channels (RTM-9).
    ///
    /// - Returns: the status, and true if the user was not a member before.
    mutating func enter(
        _ channel: String, user: String, device: String, at now: Instant
    ) -> (Status, isNew: Bool) {
        guard ProtocolLimit.isName(channel) else { return (.invalidArgument, false) }
        guard let login = accounts[user]?.devices[device]?.login else { return (.notLoggedIn, false) }
        let present = channels[channel]
        let devices = present?.members[user] ?? []
        guard !devices.contains(device) else {
            noteJoined(channel, user: user, device: device, at: now)
            return (.ok, false)
        }
        guard login.channels.count < policy.channelsPerLoginMax,
            present != nil || channels.count < policy.channelCountMax,
            !devices.isEmpty || (present?.members.count ?? 0) < policy.channelMembersMax
        else { return (.limitExceeded, false) }
        if present == nil { channels[channel] = Channel() }
        channels[channel]?.members[user] = devices + [device]
        accounts[user]?.devices[device]?.login?.channels.append(channel)
        noteJoined(channel, user: user, device: device, at: now)
        return (.ok, devices.isEmpty)
    }

    /// Records the time at which a login joined a channel. A returning login keeps its earlier time.
    private mutating func noteJoined(_ channel: String, user: String, device: String, at now: Instant) {
        var since = accounts[user]?.devices[device]?.channelsSince ?? [:]
        guard since[channel] == nil else { return }
        if since.count >= policy.channelsPerLoginMax, !since.isEmpty { since.removeFirst() }
        since[channel] = now
        accounts[user]?.devices[device]?.channelsSince = since
        // Its connection receives every message from now on.
        guard let id = accounts[user]?.devices[device]?.login?.connection else { return }
        connections[id]?.noteReplayed(channel)
    }

    func isMember(_ user: String, device: String, of channel: String) -> Bool {
        channels[channel]?.members[user]?.contains(device) ?? false
    }

    /// Replays the messages sent while a member's connection was broken, within the age and number limits of the policy
    /// (RTM-8). The server cannot detect which of them still arrived; the member filters by their numbers. It did not
    /// miss messages from before it joined. A connection replays them once.
    mutating func replay(
        _ channel: String, to user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let joined = accounts[user]?.devices[device]?.channelsSince?[channel],
            connections[id]?.replayed?.contains(channel) != true
        else { return }
        connections[id]?.noteReplayed(channel)
        let from = max(joined, now - policy.channelReplayAge)
        let missed = channels[channel]?.messages.filter { $0.sentAt >= from && $0.message.from != user } ?? []
        for kept in missed.suffix(policy.channelReplayMax) {
            effects.append(.send(id, Frame(.message(kept.message))))
        }
    }

    /// A message to a channel goes to every other member with a connection. If a user's devices copy each other's
    /// messages, it also goes to the sender's other devices in the channel (CHAT-8).
    mutating func broadcast(
        _ message: ChatMessage, from sending: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        keepForReplay(message, at: now)
        let frame = Frame(.message(message))
        for (member, devices) in channels[message.to]?.members ?? [:]
        where member != message.from || policy.copiesToOwnDevices {
            for device in devices where member != message.from || device != sending {
                if let id = accounts[member]?.devices[device]?.login?.connection { effects.append(.send(id, frame)) }
            }
        }
    }

    /// Keeps a message for members who are away, within a number limit per channel and a byte limit for all channels.
    /// At the byte limit the channel's own oldest messages are dropped; a message that still does not fit is not kept
    /// (RTM-8).
    private mutating func keepForReplay(_ message: ChatMessage, at now: Instant) {
        guard policy.channelReplayMax > 0, var kept = channels[message.to]?.messages else { return }
        channels[message.to]?.messages = []
        kept.append(ChannelMessage(message: message, sentAt: now))
        channelReplayBytes += message.text.utf8.count
        var excess = max(0, kept.count - policy.channelReplayMax)
        for old in kept.prefix(excess) { channelReplayBytes -= old.message.text.utf8.count }
        while channelReplayBytes > policy.channelReplayBytesMax, excess < kept.count {
            channelReplayBytes -= kept[excess].message.text.utf8.count
            excess += 1
        }
        kept.removeFirst(excess)
        channels[message.to]?.messages = kept
    }

    /// Removes a login from a channel.
    ///
    /// - Returns: true if it was a member.
    @discardableResult
    mutating func leave(
        _ channel: String, user: String, device: String, into effects: inout [ServerEffect]
    ) -> Bool {
        guard isMember(user, device: device, of: channel) else { return false }
        accounts[user]?.devices[device]?.login?.channels.removeAll { $0 == channel }
        if let id = accounts[user]?.devices[device]?.login?.connection { connections[id]?.replayed?.remove(channel) }
        channels[channel]?.members[user]?.removeAll { $0 == device }
        guard channels[channel]?.members[user]?.isEmpty == true else { return true }
        channels[channel]?.members.removeValue(forKey: user)
        if channels[channel]?.members.isEmpty == true {
            for kept in channels[channel]?.messages ?? [] { channelReplayBytes -= kept.message.text.utf8.count }
            channels[channel] = nil
        }
        notifyMembers(of: channel, about: user, joined: false, into: &effects)
        return true
    }

    func notifyMembers(
        of channel: String, about user: String, joined: Bool, into effects: inout [ServerEffect]
    ) {
        let notice = Frame(.memberChanged(channel: channel, user: user, joined: joined))
        for (member, devices) in channels[channel]?.members ?? [:] where member != user {
            for device in devices {
                if let id = accounts[member]?.devices[device]?.login?.connection {
                    effects.append(.send(id, notice))
                }
            }
        }
    }
}
