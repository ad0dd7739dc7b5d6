import IMProtocol
import SansIO

/// A user whose presence is watched.
struct Watched: Hashable, Sendable, Codable {
    var user: String
    /// What the app was told last; nil as long as nothing has come.
    var isThere: Bool?
}

/// What the app has been told of a channel.
struct ChannelNumbers: Hashable, Sendable, Codable {
    var channel: String
    var numbers = NumberRanges()
}

/// What the server holds for a login: its channels, the user's attributes, the users who are watched. A reconnect
/// restores it, and a logout ends it.
struct ClientHoldings: Hashable, Sendable {
    /// The channels joined, in the order of joining.
    var channels: [String] = []
    /// The members of each channel, as the app knows them (RTM-4).
    var members: [ChannelMembers] = []
    /// What the app has been told of each channel, so that what is said again is told once (RTM-8).
    var channelNumbers: [ChannelNumbers] = []
    /// The user's own attributes, sent again when the server has forgotten them (RTM-4).
    var attributes: [AnswerField] = []
    /// Users whose presence is watched, in order.
    var watched: [Watched] = []
    var settling = Settling()

    /// The same for a channel as ``ClientMachine/gapsMax``, where own messages make gaps; the latest are all that is ever
    /// said again.
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
        let request = PendingRequest(command: command, channel: channel, isKept: true)
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
            // No app waits for it: it answers a rejoin, a resync or a settlement.
            if status == .ok { membersNamed(names, in: channel, to: user, into: &effects) }
            return
        }
        if status == .ok {
            if !channels.contains(channel) { channels.append(channel) }
            know(names, in: channel)
        }
        // A settlement behind it named what was being joined (C-15).
        settleIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
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
        // Left here at once, so that a reconnect in between does not join it again.
        channels.remove(at: index)
        // What is still said of an earlier leave is of no use any more.
        for index in calls.requests.indices where calls.requests[index].leaving == channel {
            calls.requests[index].leaving = nil
        }
        let request = PendingRequest(command: command, leaving: channel, isKept: true)
        ask(.leave(channel: channel), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    /// Who may not leave is still there (C-15).
    mutating func leaveAnswered(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let request = calls.end(number, Completion(status), &common, into: &effects)
        guard status.isRefusal, let channel = request?.leaving, !channels.contains(channel) else { return }
        channels.append(channel)
        // Members may have come and gone since the leave was asked for.
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), .join(channel: channel))))
        settleIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
    }

    /// Whether the app has not been told of this yet; what is said in a channel is said again to a process that was cut
    /// off for a while (RTM-8).
    mutating func isNews(_ message: ChatMessage, _ policy: ClientPolicy) -> Bool {
        guard message.number != 0 else { return true }
        let index = channelNumbers.firstIndex { $0.channel == message.to }
        var channel = index.map { channelNumbers.remove(at: $0) } ?? ChannelNumbers(channel: message.to)
        let isNews = channel.numbers.take(message.number, rangesMax: ClientHoldings.channelGapsMax) != .taken
        channelNumbers.append(channel)
        if channelNumbers.count > policy.channelCountMax { channelNumbers.removeFirst() }
        return isNews
    }

    // MARK: Attributes

    mutating func setAttributes(
        _ fields: [AnswerField], channel: String, command: CommandID, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let isOwn = channel.isEmpty
        guard common.policy.features.contains(.attributes) else { return effects.complete(command, .unsupported) }
        if let refusal = common.policy.attributeBounds(ofChannel: !isOwn).refusal(of: fields) {
            return effects.complete(command, refusal)
        }
        if !isOwn && !channels.contains(channel) {
            return effects.complete(command, reach.hasLogin ? .notFound : .notLoggedIn)
        }
        let family: CallRate.Family = isOwn ? .userAttributes : .channelAttributes
        if reach.connection != nil, calls.isTooOften(family, common, at: now) {
            return effects.complete(command, .rateLimited)
        }
        let request = PendingRequest(command: command, attributes: isOwn ? fields : nil, isKept: isOwn)
        ask(
            .setAttributes(channel: channel, fields), for: request, reach: reach, &calls, &common, at: now,
            into: &effects)
    }

    /// What the server has taken is what it gets again when it has forgotten it (RTM-4).
    mutating func setAttributesAnswered(
        _ number: UInt32, _ status: Status, _ calls: inout ClientCalls, _ common: inout ClientCommon,
        into effects: inout [ClientEffect]
    ) {
        let request = calls.requests.first { $0.number == number }
        if status == .ok, let fields = request?.attributes {
            attributes = fields
            calls.endOvertaken(by: number, &common, into: &effects) { $0.attributes != nil }
        }
        calls.end(number, Completion(status), &common, into: &effects)
    }

    /// The server had given the user up and knows the attributes no more (RTM-4).
    func sayAttributes(
        over connection: ConnectionID, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard !attributes.isEmpty else { return }
        let body = FrameBody.setAttributes(channel: "", attributes)
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), body)))
    }

    // MARK: Presence

    /// Watching is the login's: it is restored after a reconnect and gone after a logout.
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
        // Asking twice is no mistake, and is told once.
        if isNew { watched.append(Watched(user: user)) }
        if !isOn { stopWatching(user) }
        let request = PendingRequest(
            command: command, watching: isOn ? user : nil, newWatch: isNew ? user : nil, isKept: true)
        ask(.watch(user: user, isOn: isOn), for: request, reach: reach, &calls, &common, at: now, into: &effects)
    }

    mutating func watchAnswered(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let request = calls.end(number, Completion(status), &common, into: &effects) else { return }
        if status == .ok {
            if let user = request.watching { calls.watchTaken(user, by: number) }
            return
        }
        if let user = request.newWatch, !calls.passOnNewWatch(user) { stopWatching(user) }
        // What came meanwhile of who is watched no more was not told, and a settlement behind it named who was to be
        // watched: the server is to forget both (C-15).
        if status.isRefusal, request.newWatch == nil {
            settle(over: connection, calls, &common, at: now, into: &effects)
        } else {
            settleIfOvertaken(number, status, over: connection, calls, &common, at: now, into: &effects)
        }
    }

    mutating func stopWatching(_ user: String) { watched.removeAll { $0.user == user } }

    /// Tells the app of a user's presence: of one who is watched, and what was not told already.
    mutating func presenceCame(_ user: String, _ change: PresenceChange, into effects: inout [ClientEffect]) {
        guard let index = watched.firstIndex(where: { $0.user == user }) else { return }
        let isThere =
            switch change {
            case .online: true
            case .offline, .logout, .kicked: false
            }
        guard watched[index].isThere != isThere else { return }
        watched[index].isThere = isThere
        effects.append(.notify(.presence(user: user, change)))
    }

    // MARK: What all have in common

    private mutating func ask(
        _ body: FrameBody, for request: PendingRequest, reach: CallReach, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let connection = reach.connection else { return effects.complete(request.command, reach.refusal) }
        if request.isKept { settling.isDue = true }
        calls.ask(body, for: request, over: connection, &common, at: now, into: &effects)
    }
}

extension Status {
    /// Whether the server left things as they were.
    var isRefusal: Bool {
        switch self {
        case .ok, .notFound: false
        default: true
        }
    }
}
