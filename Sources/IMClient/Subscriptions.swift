import IMProtocol
import SansIO

/// A user whose presence is watched.
struct Watched: Hashable, Sendable, Codable {
    var user: String
    /// The last presence that the app was notified of; nil before the first.
    var isPresent: Bool?
}

/// The message numbers of a channel that the app has received.
struct ChannelNumbers: Hashable, Sendable, Codable {
    var channel: String
    var numbers = NumberRanges()
}

/// The server-side state of a login: its channels, the user's attributes, the watched users. A reconnect restores it,
/// and a logout ends it.
struct Subscriptions: Hashable, Sendable {
    /// The channels joined, in the order of joining.
    var channels: [String] = []
    /// The members of each channel that the app was notified of (RTM-4).
    var members: [ChannelMembers] = []
    /// The message numbers received from each channel, so that a replayed message is delivered once (RTM-8).
    var channelNumbers: [ChannelNumbers] = []
    /// The user's own attributes, sent again after the server has dropped them (RTM-4).
    var attributes: [AnswerField] = []
    /// Users whose presence is watched, in order.
    var watched: [Watched] = []
    var reconciliation = Reconciliation()

    /// The counterpart of ``ClientMachine/gapsMax`` for a channel, where own messages make gaps. Only the latest
    /// messages are ever replayed.
    static let channelGapsMax = 100

    // MARK: Channels

    mutating func join(
        _ channel: String, command: CommandID, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard common.policy.features.contains(.channels) else { return effects.complete(command, .unsupported) }
        guard ProtocolLimit.isName(channel) else { return effects.complete(command, .invalidArgument) }
        let joining = calls.joining
        guard !channels.contains(channel), !joining.contains(channel) else {
            return effects.complete(command, .alreadyJoined)
        }
        guard channels.count + joining.count < common.policy.channelCountMax else {
            return effects.complete(command, .limitExceeded)
        }
        if reach.connection != nil {
            guard !calls.isTooOften(.joins, common, at: now) else { return effects.complete(command, .rateLimited) }
            guard !calls.isTooOften(.joinsOfOneChannel, name: channel, common, at: now) else {
                return effects.complete(command, .channelRateLimited)
            }
        }
        let request = PendingRequest(command: command, channel: channel, isReconciled: true)
        ask(.join(channel: channel), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    mutating func joinAnswered(
        _ number: UInt32, _ status: Status, channel: String, members names: [String], of user: String,
        over connection: ConnectionID, _ calls: inout ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let rows = status == .ok ? names.map { AnswerRow([("member", $0)]) } : []
        let request = calls.end(number, Completion(status, rows: rows), &common, into: &effects)
        guard let request, request.channel == channel else {
            // An answer to a rejoin, a resync or a reconciliation; no command waits for it.
            if status == .ok { membersListed(names, in: channel, to: user, into: &effects) }
            return
        }
        if status == .ok {
            if !channels.contains(channel) { channels.append(channel) }
            setMembers(names, in: channel)
        }
        // A later reconciliation contained the channel that was being joined (C-15).
        reconcileIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
    }

    mutating func leave(
        _ channel: String, command: CommandID, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard common.policy.features.contains(.channels) else { return effects.complete(command, .unsupported) }
        guard let index = channels.firstIndex(of: channel) else {
            return effects.complete(command, reach.hasLogin ? .notFound : .notLoggedIn)
        }
        guard reach.connection != nil else { return effects.complete(command, .networkUnavailable) }
        // Removed at once, so that a reconnect in between does not join the channel again.
        channels.remove(at: index)
        // The answer to an earlier leave no longer matters.
        for index in calls.requests.indices where calls.requests[index].leaving == channel {
            calls.requests[index].leaving = nil
        }
        let request = PendingRequest(command: command, leaving: channel, isReconciled: true)
        ask(.leave(channel: channel), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    /// If the leave is refused, the user is still in the channel (C-15).
    mutating func leaveAnswered(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let request = calls.end(number, Completion(status), &common, into: &effects)
        guard status.isRefusal, let channel = request?.leaving, !channels.contains(channel) else { return }
        channels.append(channel)
        // Members may have joined and left since the leave was requested.
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), .join(channel: channel))))
        reconcileIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
    }

    /// True if the app has not received this message yet. Channel messages are replayed to a process that was
    /// disconnected for a while (RTM-8).
    mutating func isFirstDelivery(_ message: ChatMessage, _ policy: ClientPolicy) -> Bool {
        guard message.number != 0 else { return true }
        let index = channelNumbers.firstIndex { $0.channel == message.to }
        var channel = index.map { channelNumbers.remove(at: $0) } ?? ChannelNumbers(channel: message.to)
        let isFirstDelivery = channel.numbers.take(message.number, rangesMax: Subscriptions.channelGapsMax) != .taken
        channelNumbers.append(channel)
        if channelNumbers.count > policy.channelCountMax { channelNumbers.removeFirst() }
        return isFirstDelivery
    }

    // MARK: Attributes

    mutating func setAttributes(
        _ fields: [AnswerField], channel: String, command: CommandID, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let isOwn = channel.isEmpty
        guard common.policy.features.contains(.attributes) else { return effects.complete(command, .unsupported) }
        if let refusal = common.policy.attributeLimits(ofChannel: !isOwn).refusal(of: fields) {
            return effects.complete(command, refusal)
        }
        if !isOwn && !channels.contains(channel) {
            return effects.complete(command, reach.hasLogin ? .notFound : .notLoggedIn)
        }
        let family: CallRate.Family = isOwn ? .userAttributes : .channelAttributes
        if reach.connection != nil, calls.isTooOften(family, common, at: now) {
            return effects.complete(command, .rateLimited)
        }
        let request = PendingRequest(command: command, attributes: isOwn ? fields : nil, isReconciled: isOwn)
        ask(
            .setAttributes(channel: channel, fields), for: request, reach: reach, &calls, &common, at: now,
            into: &effects)
    }

    /// Attributes that the server has accepted are sent again if it drops them (RTM-4).
    mutating func setAttributesAnswered(
        _ number: UInt32, _ status: Status, _ calls: inout ClientCalls, _ common: inout ClientCommon,
        into effects: inout [ClientEffect]
    ) {
        let request = calls.requests.first { $0.number == number }
        if status == .ok, let fields = request?.attributes {
            attributes = fields
            calls.cancelRequests(before: number, &common, into: &effects) { $0.attributes != nil }
        }
        calls.end(number, Completion(status), &common, into: &effects)
    }

    /// Sends the attributes again, because the server dropped them when the user counted as offline (RTM-4).
    func resendAttributes(
        over connection: ConnectionID, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard !attributes.isEmpty else { return }
        let body = FrameBody.setAttributes(channel: "", attributes)
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), body)))
    }

    // MARK: Presence

    /// Watches belong to the login: a reconnect restores them, a logout ends them.
    mutating func watch(
        _ user: String, isOn: Bool, command: CommandID, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard common.policy.features.contains(.presence) else { return effects.complete(command, .unsupported) }
        guard ProtocolLimit.isName(user) else { return effects.complete(command, .invalidArgument) }
        guard reach.connection != nil else { return effects.complete(command, reach.refusal) }
        let isNew = isOn && !watched.contains { $0.user == user }
        guard !isNew || watched.count < common.policy.watchedCountMax else {
            return effects.complete(command, .limitExceeded)
        }
        guard !calls.isTooOften(.watches, common, at: now) else { return effects.complete(command, .rateLimited) }
        // A repeated watch is no error; the app is notified once.
        if isNew { watched.append(Watched(user: user)) }
        if !isOn { stopWatching(user) }
        let request = PendingRequest(
            command: command, watching: isOn ? user : nil, newWatch: isNew ? user : nil, isReconciled: true)
        ask(.watch(user: user, isOn: isOn), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    mutating func watchAnswered(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let request = calls.end(number, Completion(status), &common, into: &effects) else { return }
        if status == .ok {
            if let user = request.watching { calls.watchAccepted(user, by: number) }
            return
        }
        if let user = request.newWatch, !calls.moveNewWatch(user) { stopWatching(user) }
        // Presence of a user who was no longer watched was not reported, and a later reconciliation contained the user
        // who was to be watched: the server must drop both (C-15).
        if status.isRefusal, request.newWatch == nil {
            reconcile(over: connection, calls, &common, at: now, into: &effects)
        } else {
            reconcileIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
        }
    }

    mutating func stopWatching(_ user: String) { watched.removeAll { $0.user == user } }

    /// Notifies the app of a watched user's presence if it has changed.
    mutating func presenceArrived(_ user: String, _ change: PresenceChange, into effects: inout [ClientEffect]) {
        guard let index = watched.firstIndex(where: { $0.user == user }) else { return }
        let isPresent =
            switch change {
            case .online: true
            case .offline, .logout, .kicked: false
            }
        guard watched[index].isPresent != isPresent else { return }
        watched[index].isPresent = isPresent
        effects.append(.notify(.presence(user: user, change)))
    }

    // MARK: Common parts

    private mutating func ask(
        _ body: FrameBody, for request: PendingRequest, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let connection = reach.connection else { return effects.complete(request.command, reach.refusal) }
        if request.isReconciled { reconciliation.isNeeded = true }
        calls.ask(body, for: request, over: connection, &common, at: now, into: &effects)
    }
}

extension Status {
    /// True if the server changed nothing.
    var isRefusal: Bool {
        switch self {
        case .ok, .notFound: false
        default: true
        }
    }
}
