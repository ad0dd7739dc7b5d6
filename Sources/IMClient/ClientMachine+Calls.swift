import IMProtocol
import SansIO

// Calls that wait for the server: kick, channels and the like. Each ends exactly once (C-1): by its answer, by its
// time limit, or with the login.

/// A call that the server has not answered yet.
struct PendingRequest: Hashable, Sendable, Codable {
    var number: UInt32
    var command: CommandID
    /// The channel of a join, so that it can be remembered; empty otherwise.
    var channel: String = ""
    /// The name of the new credential of a renewal; empty otherwise.
    var credential: String = ""
    /// The place of the tree that was asked about; empty otherwise.
    var path: String = ""
    /// The user's attributes as they are once the server has them; nil otherwise.
    var attributes: [AnswerField]?
    /// The user who is watched if this succeeds, and was not before; nil otherwise.
    var newWatch: String?
    /// Whether the server keeps what is asked for, so that both have to agree about it (C-15).
    var isKept = false
}

extension ClientMachine {
    mutating func kick(
        _ target: KickTarget, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.kick) else { return complete(command, .unsupported, into: &effects) }
        switch target {
        case .device(let id):
            // Never at oneself, neither by name nor by the word for all.
            guard ProtocolLimit.isName(id), id != device.id else {
                return complete(command, .invalidArgument, into: &effects)
            }
            ask(.kick(device: id), command: command, at: now, into: &effects)
        case .otherDevices:
            ask(.kick(device: ""), command: command, at: now, into: &effects)
        }
    }

    mutating func join(
        _ channel: String, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.channels) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(channel) else { return complete(command, .invalidArgument, into: &effects) }
        guard !channels.contains(channel), !requests.contains(where: { $0.channel == channel }) else {
            return complete(command, .alreadyJoined, into: &effects)
        }
        let joining = requests.count { !$0.channel.isEmpty }
        guard channels.count + joining < policy.channelCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        if openLink != nil {
            guard !isTooOften(.joins, at: now) else { return complete(command, .rateLimited, into: &effects) }
            guard !isTooOften(.joinsOfOneChannel, name: channel, at: now) else {
                return complete(command, .channelRateLimited, into: &effects)
            }
        }
        ask(.join(channel: channel), channel: channel, isKept: true, command: command, at: now, into: &effects)
    }

    mutating func leave(
        _ channel: String, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.channels) else { return complete(command, .unsupported, into: &effects) }
        guard let index = channels.firstIndex(of: channel) else {
            return complete(command, login == nil ? .notLoggedIn : .notFound, into: &effects)
        }
        guard openLink != nil else { return complete(command, .networkUnavailable, into: &effects) }
        // Left here at once, so that a reconnect in between does not join it again.
        channels.remove(at: index)
        ask(.leave(channel: channel), isKept: true, command: command, at: now, into: &effects)
    }

    /// Sends a request that needs a login over a live link.
    mutating func ask(
        _ body: FrameBody, channel: String = "", credential: String = "", path: String = "",
        attributes: [AnswerField]? = nil, newWatch: String? = nil, isKept: Bool = false, command: CommandID,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let link = openLink else {
            return complete(command, login == nil ? .notLoggedIn : .networkUnavailable, into: &effects)
        }
        let number = makeRequestNumber()
        requests.append(
            PendingRequest(
                number: number, command: command, channel: channel, credential: credential, path: path,
                attributes: attributes, newWatch: newWatch, isKept: isKept))
        if isKept { settling.isDue = true }
        timers.set(.request(number), at: now + policy.requestTimeLimit)
        effects.append(.send(link.id, Frame(request: number, body)))
    }

    /// The request with this number has its answer. Nobody waits for an answer that comes unasked or too late.
    mutating func answered(_ number: UInt32, _ completion: Completion, into effects: inout [ClientEffect]) {
        guard let index = requests.firstIndex(where: { $0.number == number }) else { return }
        let request = requests.remove(at: index)
        timers.cancel(.request(number))
        effects.append(.complete(request.command, completion))
    }

    mutating func joinAnswered(
        _ number: UInt32, _ status: Status, channel: String, members: [String], into effects: inout [ClientEffect]
    ) {
        let asked = requests.contains { $0.number == number && $0.channel == channel }
        if asked && status == .ok && !channels.contains(channel) { channels.append(channel) }
        answered(
            number, Completion(status, rows: status == .ok ? members.map { AnswerRow([("member", $0)]) } : []),
            into: &effects)
    }

    mutating func watchAnswered(_ number: UInt32, _ status: Status, into effects: inout [ClientEffect]) {
        if status != .ok, let user = requests.first(where: { $0.number == number })?.newWatch {
            watched.removeAll { $0.user == user }
        }
        answered(number, Completion(status), into: &effects)
    }

    mutating func requestTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) {
        if readTimedOut(number, into: &effects) || settlementTimedOut(number, at: now, into: &effects)
            || syncTimedOut(number, at: now, into: &effects)
        {
            return
        }
        let request = requests.first { $0.number == number }
        answered(number, Completion(.timeout), into: &effects)
        guard let request else { return }
        // Nobody knows whether an order is registered for the end of this connection; with the next one both sides do
        // (C-15).
        if !request.path.isEmpty { return linkEnded(.byUs, at: now, into: &effects) }
        unanswered(request, at: now, into: &effects)
    }

    /// The link is gone, and with it the answers.
    mutating func failRequests(_ status: Status, into effects: inout [ClientEffect]) {
        publishConnection(false, into: &effects)
        let failed = requests
        requests.removeAll()
        pages = nil
        if let number = settling.request { timers.cancel(.request(number)) }
        settling.request = nil
        for request in failed {
            timers.cancel(.request(request.number))
            effects.append(.complete(request.command, Completion(status)))
            if request.attributes != nil { settling.areAttributesOpen = true }
            if let user = request.newWatch { watched.removeAll { $0.user == user } }
        }
        if !policy.features.contains(.messageQueue) { failMessages(status, into: &effects) }
    }

    /// The login is gone, and with it everything that waits (C-4, C-14).
    mutating func failCalls(_ status: Status, into effects: inout [ClientEffect]) {
        failRequests(status, into: &effects)
        failMessages(status, into: &effects)
        endTree(status, into: &effects)
        failed.removeAll()
    }
}
