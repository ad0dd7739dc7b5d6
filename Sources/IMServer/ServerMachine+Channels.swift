import IMProtocol
import OrderedCollections
import SansIO

// Channels: members, joining and leaving, messages, and their replay to members after a broken connection (RTM-4,
// RTM-8). A user is a member as long as one of the user's logins is in the channel. Messages go to these devices.

extension ServerMachine {
    mutating func join(
        _ channel: String, user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let (status, isNew) = enter(channel, user: user, device: device, at: now)
        sendMembers(of: channel, status, request: request, to: id, into: &effects)
        guard status == .ok else { return }
        sendMissedMessages(of: channel, to: user, device: device, on: id, at: now, into: &effects)
        // A member who reconnects within the presence hold never left: the others are not notified (RTM-4).
        if isNew { notifyMembers(of: channel, about: user, joined: true, into: &effects) }
    }

    /// Sends the members of a channel to a client: as the answer to a join, and whenever the client may have missed a
    /// change of the members (C-15).
    func sendMembers(
        of channel: String, _ status: Status = .ok, request: UInt32, to id: ConnectionID,
        into effects: inout [ServerEffect]
    ) {
        let members = status == .ok ? Array(channels[channel]?.members.keys ?? []) : []
        let pages = FramePages.split(members).map { FrameBody.joinAck(status, channel: channel, members: $0) }
        for frame in FramePages.frames(request: request, pages) { effects.append(.send(id, frame)) }
    }

    /// Adds a login to a channel. If it is a member already, the request succeeds and changes nothing.
    ///
    /// The request is refused if it exceeds a limit: the members of the channel, the channels of the login, or the
    /// channels of the server (RTM-9).
    ///
    /// - Returns: the status; `isNew` is true if the user was not in the channel with any device.
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

    /// Records the time at which a login joined a channel, unless the device joined it earlier with this login.
    private mutating func noteJoined(_ channel: String, user: String, device: String, at now: Instant) {
        var joinTimes = accounts[user]?.devices[device]?.channelsSince ?? [:]
        guard joinTimes[channel] == nil else { return }
        if joinTimes.count >= policy.channelsPerLoginMax, !joinTimes.isEmpty { joinTimes.removeFirst() }
        joinTimes[channel] = now
        accounts[user]?.devices[device]?.channelsSince = joinTimes
        // The connection of the login receives every message from now on, so a replay is not needed.
        guard let id = accounts[user]?.devices[device]?.login?.connection else { return }
        connections[id]?.noteReplayed(channel)
    }

    func isMember(_ user: String, device: String, of channel: String) -> Bool {
        channels[channel]?.members[user]?.contains(device) ?? false
    }

    /// Replays the messages sent while a member's connection was broken, within the age and number limits of the policy
    /// (RTM-8). Messages from before the member joined are not replayed. Some may have arrived before the break, which
    /// the server cannot detect: the client filters by their numbers. A channel is replayed once on a connection.
    mutating func sendMissedMessages(
        of channel: String, to user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let joined = accounts[user]?.devices[device]?.channelsSince?[channel],
            connections[id]?.replayed?.contains(channel) != true
        else { return }
        connections[id]?.noteReplayed(channel)
        let earliest = max(joined, now - policy.channelReplayAge)
        let missed = channels[channel]?.messages.filter { $0.sentAt >= earliest && $0.message.from != user } ?? []
        for kept in missed.suffix(policy.channelReplayMax) {
            effects.append(.send(id, Frame(.message(kept.message))))
        }
    }

    /// Sends a message to every other member with a connection. If the policy copies messages to the sender's own
    /// devices, it also goes to those of them that are in the channel (CHAT-8).
    mutating func broadcast(
        _ message: ChatMessage, from sending: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        keepForReplay(message, at: now)
        let copies = policy.copiesToOwnDevices
        send(.message(message), toMembersOf: message.to, into: &effects) { member, device in
            member != message.from || copies && device != sending
        }
    }

    private func send(
        _ body: FrameBody, toMembersOf channel: String, into effects: inout [ServerEffect],
        where isReceiver: (_ user: String, _ device: String) -> Bool
    ) {
        for (member, devices) in channels[channel]?.members ?? [:] {
            for device in devices where isReceiver(member, device) {
                if let id = accounts[member]?.devices[device]?.login?.connection {
                    effects.append(.send(id, Frame(body)))
                }
            }
        }
    }

    /// Stores a channel's message for the replay to disconnected members. The policy limits the number of messages per
    /// channel and the bytes of all channels. At the byte limit, the oldest messages of the same channel are dropped.
    /// If the new message still does not fit, it is not stored (RTM-8).
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
    /// - Returns: true if the login was in the channel.
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
        let notice = FrameBody.memberChanged(channel: channel, user: user, joined: joined)
        send(notice, toMembersOf: channel, into: &effects) { member, _ in member != user }
    }
}
