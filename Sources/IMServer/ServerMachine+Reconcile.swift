import IMProtocol
import OrderedCollections
import SansIO

// Reconciliation: a client sends the complete state of its login, and the server adopts exactly this state (C-15). The
// state consists of channels and watches. It also contains the user's attributes if an earlier change of them may have
// been lost. If a request was sent before a reconciliation and arrives after it, the request has no effect.

extension ServerMachine {
    /// The maximum number of names in one reconciliation. A client that sends more violates the protocol.
    static let snapshotNamesMax = 4096

    mutating func reconcile(
        _ page: SubscriptionSnapshot, _ frame: Frame, user: String, device: String, on id: ConnectionID,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        // A reconciliation that the network delayed describes an outdated state.
        guard let connection = connections[id], !frame.isOlder(than: connection.reconciledRequest),
            !frame.isOlder(than: connection.changeRequest)
        else { return }
        var whole = SubscriptionSnapshot()
        if frame.page > 0 {
            // A page is ignored if an earlier page is missing. The client then sends the whole reconciliation again.
            guard let before = connection.partialSnapshot, before.request == frame.request,
                before.pages == frame.page
            else { return }
            whole = before.settlement
        }
        whole.add(page)
        guard whole.channels.count + whole.watched.count <= ServerMachine.snapshotNamesMax else {
            return refuse(id, .protocolViolation, detail: "too much to settle", at: now, into: &effects)
        }
        if frame.hasMore {
            connections[id]?.partialSnapshot = PartialSnapshot(
                request: frame.request, pages: frame.page + 1, settlement: whole)
            return
        }
        connections[id]?.partialSnapshot = nil
        connections[id]?.reconciledRequest = frame.request
        if let attributes = whole.attributes {
            connections[id]?.attributesRequest = frame.request
            _ = setAttributes(attributes, channel: "", user: user, device: device)
        }
        // If a channel was not joined over this connection before, the request to join it was lost, and the client does
        // not have its members (RTM-4).
        let unlisted = whole.channels.filter { connections[id]?.replayed?.contains($0) != true }
        let channels = reconcileChannels(whole.channels, user: user, device: device, at: now, into: &effects)
        let watched = reconcileWatches(whole.watched, on: id)
        answer(frame.request, refusedChannels: channels, refusedWatches: watched.refused, on: id, into: &effects)
        for channel in unlisted where isMember(user, device: device, of: channel) {
            sendMembers(of: channel, request: frame.request, to: id, into: &effects)
        }
        for channel in whole.channels {
            sendMissedMessages(of: channel, to: user, device: device, on: id, at: now, into: &effects)
        }
        // The join times of other channels are removed: only a member gets the missed messages of a channel.
        accounts[user]?.devices[device]?.channelsSince?.removeAll { !whole.channels.contains($0.key) }
        for user in watched.new { sendPresence(of: user, to: id, into: &effects) }
    }

    /// Makes the login a member of exactly the named channels.
    ///
    /// - Returns: the named channels that the login cannot join.
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

    /// Makes the connection watch exactly the named users. Returns the refused users and the newly watched ones.
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

    /// The answer to an outdated request: a later request about the same state arrived before it. Such a request has no
    /// effect, and the answer contains the current state. Nil if the request is not outdated.
    func answerIfOutdated(to frame: Frame, user: String, device: String, on id: ConnectionID) -> [FrameBody]? {
        switch frame.body {
        case .join, .leave, .watch, .setAttributes, .renewToken: break
        default: return nil
        }
        guard let connection = connections[id] else { return nil }
        let isOld = frame.isOlder(than: connection.reconciledRequest) || frame.isOlder(than: connection.changeRequest)
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
        case .setAttributes("", _) where frame.isOlder(than: connection.attributesRequest):
            return [.setAttributesAck(.cancelled)]
        case .renewToken where frame.isOlder(than: connection.renewalRequest):
            return [.renewTokenAck(.cancelled, expiresAtMilliseconds: 0, issuedAtMilliseconds: 0)]
        default: return nil
        }
    }
}

extension Frame {
    /// True if the client sent this request before the request with the number `other`.
    func isOlder(than other: UInt32?) -> Bool {
        guard let other, request != 0 else { return false }
        return Frame.isRequest(request, before: other)
    }
}
