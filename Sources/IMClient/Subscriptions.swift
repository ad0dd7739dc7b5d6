import IMProtocol
import SansIO

/// A user whose presence is watched.
struct WatchedUser: Hashable, Sendable, Codable {
    var user: String
    /// True if the user was online when the app was last notified; nil before the first notification.
    var isPresent: Bool?
}

/// The server's numbers of the messages that the app has received from a channel.
struct ChannelNumbers: Hashable, Sendable, Codable {
    var channel: String
    var numbers = NumberRanges()
}

/// The channels, the user's attributes and the watched users of a login. The server stores them too. A reconnect
/// restores them, and a logout ends them.
struct Subscriptions: Hashable, Sendable {
    /// The channels that the user has joined, in the order of joining.
    var channels: [String] = []
    /// The members of each joined channel that the app was notified of (RTM-4).
    var members: [ChannelMembers] = []
    /// The server's numbers of the messages received from each channel. A message that the server replays has the same
    /// number, and is not delivered again (RTM-8).
    var channelNumbers: [ChannelNumbers] = []
    /// The user's own attributes. The client sends them again if the server has dropped them (RTM-4).
    var attributes: [AnswerField] = []
    /// The users whose presence the app watches, in the order of the calls.
    var watched: [WatchedUser] = []
    var reconciliation = Reconciliation()

    /// The maximum number of stored ranges of a channel's numbers. Each message of the user's own starts a new range,
    /// because the server does not send it back. The limit is low, because the server replays only the latest messages.
    static let channelRangesMax = 100

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
            // A join that the second limit refuses does not count for the first one.
            let times = calls.times
            guard !calls.isTooOften(.joins, common, at: now) else { return effects.complete(command, .rateLimited) }
            guard !calls.isTooOften(.joinsOfOneChannel, name: channel, common, at: now) else {
                calls.times = times
                return effects.complete(command, .channelRateLimited)
            }
        }
        let request = PendingRequest(command: command, channel: channel, isReconciled: true)
        sendRequest(.join(channel: channel), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    mutating func joinAnswered(
        _ number: UInt32, _ status: Status, channel: String, members names: [String], of user: String,
        over connection: ConnectionID, _ calls: inout ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let rows = status == .ok ? names.map { AnswerRow([("member", $0)]) } : []
        let request = calls.end(number, Completion(status, rows: rows), &common, into: &effects)
        guard let request, request.channel == channel else {
            // The answer belongs to no command of the app. The client joins channels itself after a reconnect, a resync
            // or a reconciliation.
            if status == .ok { membersListed(names, in: channel, to: user, into: &effects) }
            return
        }
        if status == .ok {
            if !channels.contains(channel) { channels.append(channel) }
            setMembers(names, in: channel)
        }
        // A snapshot that was sent after the join contained the channel. If the join is refused, another one must
        // follow (C-15).
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
        // Removed before the server's answer, so that a reconnect in between does not join the channel again.
        channels.remove(at: index)
        // If the server refuses an earlier leave of this channel, this later leave still counts.
        for index in calls.requests.indices where calls.requests[index].leaving == channel {
            calls.requests[index].leaving = nil
        }
        let request = PendingRequest(command: command, leaving: channel, isReconciled: true)
        sendRequest(.leave(channel: channel), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    /// Handles the answer to a leave. After a refusal the user is still a member of the channel (C-15).
    mutating func leaveAnswered(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let request = calls.end(number, Completion(status), &common, into: &effects)
        guard status.isRefusal, let channel = request?.leaving, !channels.contains(channel) else { return }
        channels.append(channel)
        // Joins again to get the list of members, which may have changed after the leave was requested.
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), .join(channel: channel))))
        reconcileIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
    }

    /// Records that a message of a channel has arrived. After a reconnect the server replays messages, some of which
    /// may have arrived before (RTM-8).
    ///
    /// - Returns: true if the message had not arrived before.
    mutating func isFirstDelivery(_ message: ChatMessage, _ policy: ClientPolicy) -> Bool {
        guard message.number != 0 else { return true }
        let index = channelNumbers.firstIndex { $0.channel == message.to }
        var channel = index.map { channelNumbers.remove(at: $0) } ?? ChannelNumbers(channel: message.to)
        let isFirstDelivery = channel.numbers.take(message.number, rangesMax: Subscriptions.channelRangesMax) != .taken
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
        sendRequest(
            .setAttributes(channel: channel, fields), for: request, reach: reach, &calls, &common, at: now,
            into: &effects)
    }

    /// Handles the answer to a request that sets attributes. Stores accepted attributes, so that the client can send
    /// them again if the server drops them (RTM-4).
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

    /// Sends the attributes again. The server has dropped them, because the user counted as offline (RTM-4).
    func resendAttributes(
        over connection: ConnectionID, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard !attributes.isEmpty else { return }
        let body = FrameBody.setAttributes(channel: "", attributes)
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), body)))
    }

    // MARK: Presence

    /// Starts or stops watching a user's presence. A reconnect restores the watches of a login, and a logout ends them.
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
        // Watching a user twice is not an error. The user is stored once, so the app gets each notification once.
        if isNew { watched.append(WatchedUser(user: user)) }
        if !isOn { stopWatching(user) }
        let request = PendingRequest(
            command: command, watching: isOn ? user : nil, newWatch: isNew ? user : nil, isReconciled: true)
        sendRequest(
            .watch(user: user, isOn: isOn), for: request, reach: reach, &calls, &common, at: now, into: &effects)
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
        // If the server refuses to end a watch, it continues to send the user's presence. If it refuses a new watch, a
        // snapshot that was sent meanwhile contained the user. In both cases another snapshot corrects the server's
        // state (C-15).
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

    // MARK: Requests

    /// Sends a request over the connection that has accepted the login. Fails the command if there is no such
    /// connection.
    private mutating func sendRequest(
        _ body: FrameBody, for request: PendingRequest, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let connection = reach.connection else { return effects.complete(request.command, reach.refusal) }
        if request.isReconciled { reconciliation.isNeeded = true }
        calls.sendRequest(body, for: request, over: connection, &common, at: now, into: &effects)
    }
}

extension Status {
    /// True if the status means that the server has not made a requested change. A status `notFound` is not a refusal:
    /// the object is already removed.
    var isRefusal: Bool {
        switch self {
        case .ok, .notFound: false
        default: true
        }
    }
}
