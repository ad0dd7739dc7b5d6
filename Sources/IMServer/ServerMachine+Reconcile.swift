import IMProtocol
import OrderedCollections
import SansIO

// A client sends the complete state of its login, and the server adopts exactly that state (C-15): channels, watches
// and, if they are in question, the user's attributes. A request made before a reconciliation that arrives after it is
// void.

extension ServerMachine {
    /// Maximum number of names in one reconciliation; a client that sends more violates the protocol.
    static let snapshotNamesMax = 4096

    mutating func settle(
        _ settlement: SubscriptionSnapshot, _ frame: Frame, user: String, device: String, on id: ConnectionID,
        at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        // A delayed reconciliation describes an earlier state.
        guard !frame.isOlder(than: connections[id]?.settled), !frame.isOlder(than: connections[id]?.changed)
        else { return }
        var whole = SubscriptionSnapshot()
        if frame.page > 0 {
            // A part whose earlier part is missing is ignored; the client sends the reconciliation again.
            guard let before = connections[id]?.settling, before.request == frame.request, before.pages == frame.page
            else { return }
            whole = before.settlement
        }
        whole.add(settlement)
        guard whole.channels.count + whole.watched.count <= ServerMachine.snapshotNamesMax else {
            return refuse(id, .protocolViolation, detail: "too much to settle", at: now, into: &effects)
        }
        if frame.hasMore {
            connections[id]?.settling = PartialSnapshot(
                request: frame.request, pages: frame.page + 1, settlement: whole)
            return
        }
        connections[id]?.settling = nil
        connections[id]?.settled = frame.request
        if let attributes = whole.attributes {
            connections[id]?.settledAttributes = frame.request
            _ = setAttributes(attributes, channel: "", user: user, device: device)
        }
        // A join of this connection that got lost has no answer, so the client does not have the members (RTM-4).
        let unnamed = whole.channels.filter { connections[id]?.replayed?.contains($0) != true }
        let channels = reconcileChannels(whole.channels, user: user, device: device, at: now, into: &effects)
        let watched = reconcileWatches(whole.watched, on: id)
        answer(frame.request, refusedChannels: channels, refusedWatches: watched.refused, on: id, into: &effects)
        for channel in unnamed where isMember(user, device: device, of: channel) {
            sendMembers(of: channel, request: frame.request, to: id, into: &effects)
        }
        for channel in whole.channels {
            replay(channel, to: user, device: device, on: id, at: now, into: &effects)
        }
        // Only members of a channel get its missed messages.
        accounts[user]?.devices[device]?.channelsSince?.removeAll { !whole.channels.contains($0.key) }
        for user in watched.new { sendPresence(of: user, to: id, into: &effects) }
    }

    /// Makes the login's channels exactly the named ones.
    ///
    /// - Returns: the channels that it cannot join.
    private mutating func reconcileChannels(
        _ names: [String], user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> [String] {
        let named = OrderedSet(names)
        for channel in accounts[user]?.devices[device]?.login?.channels ?? [] where !named.contains(channel) {
            leave(channel, user: user, device: device, into: &effects)
        }
        var refused: [String] = []
        for channel in named {
            let (status, isNew) = enter(channel, user: user, device: device, at: now)
            if status != .ok { refused.append(channel) }
            if isNew { notifyMembers(of: channel, about: user, joined: true, into: &effects) }
        }
        return refused
    }

    /// Makes the connection watch exactly the named users.
    private mutating func reconcileWatches(
        _ names: [String], on id: ConnectionID
    ) -> (refused: [String], new: [String]) {
        let named = OrderedSet(names)
        for user in connections[id]?.watching ?? [] where !named.contains(user) { stopWatching(user, on: id) }
        var refused: [String] = []
        var new: [String] = []
        for user in named where connections[id]?.watching.contains(user) == false {
            if startWatching(user, on: id) == .ok { new.append(user) } else { refused.append(user) }
        }
        return (refused, new)
    }

    private func answer(
        _ request: UInt32, refusedChannels channels: [String], refusedWatches watched: [String], on id: ConnectionID,
        into effects: inout [ServerEffect]
    ) {
        let names = channels.map { ($0, isChannel: true) } + watched.map { ($0, isChannel: false) }
        let bodies = FramePages.split(names) { $0.0.utf8.count }.map { page in
            FrameBody.settleAck(
                channels: page.filter(\.isChannel).map(\.0), watched: page.filter { !$0.isChannel }.map(\.0))
        }
        for frame in FramePages.frames(request: request, bodies) { effects.append(.send(id, frame)) }
    }

    /// The answer to a request that a later one has overtaken; nil if it has not. Such a request does nothing: the
    /// answer contains the current state.
    func voidAnswer(to frame: Frame, user: String, device: String, on id: ConnectionID) -> [FrameBody]? {
        switch frame.body {
        case .join, .leave, .watch, .setAttributes, .renewToken: break
        default: return nil
        }
        guard let connection = connections[id] else { return nil }
        let isOld = frame.isOlder(than: connection.settled) || frame.isOlder(than: connection.changed)
        switch frame.body {
        case .join(let channel) where isOld:
            guard isMember(user, device: device, of: channel) else {
                return [.joinAck(.cancelled, channel: channel, members: [])]
            }
            return FramePages.split(Array(channels[channel]?.members.keys ?? [])).map {
                .joinAck(.ok, channel: channel, members: $0)
            }
        case .leave(let channel) where isOld:
            return [.leaveAck(isMember(user, device: device, of: channel) ? .cancelled : .ok, channel: channel)]
        case .watch(let watched, let isOn) where isOld:
            return [.watchAck(connection.watching.contains(watched) == isOn ? .ok : .cancelled)]
        case .setAttributes("", _) where frame.isOlder(than: connection.settledAttributes):
            return [.setAttributesAck(.cancelled)]
        case .renewToken where frame.isOlder(than: connection.renewed):
            return [.renewTokenAck(.cancelled, expiresAtMilliseconds: 0, issuedAtMilliseconds: 0)]
        default: return nil
        }
    }
}

extension Frame {
    /// True if its request was made before the other one.
    func isOlder(than other: UInt32?) -> Bool {
        guard let other, request != 0 else { return false }
        return Frame.isRequest(request, before: other)
    }
}
