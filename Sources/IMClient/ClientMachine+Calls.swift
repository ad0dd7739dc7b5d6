import IMProtocol
import SansIO

// Calls that wait for the server: kick, channels and the like, of which ClientCalls keeps account.

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
            ask(.kick(device: id), for: PendingRequest(command: command), at: now, into: &effects)
        case .otherDevices:
            ask(.kick(device: ""), for: PendingRequest(command: command), at: now, into: &effects)
        }
    }

    mutating func join(
        _ channel: String, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.channels) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(channel) else { return complete(command, .invalidArgument, into: &effects) }
        let joining = calls.joining
        guard !channels.contains(channel), !joining.contains(channel) else {
            return complete(command, .alreadyJoined, into: &effects)
        }
        guard channels.count + joining.count < policy.channelCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        if openLink != nil {
            guard !calls.isTooOften(.joins, common, at: now) else {
                return complete(command, .rateLimited, into: &effects)
            }
            guard !calls.isTooOften(.joinsOfOneChannel, name: channel, common, at: now) else {
                return complete(command, .channelRateLimited, into: &effects)
            }
        }
        let request = PendingRequest(command: command, channel: channel, isKept: true)
        ask(.join(channel: channel), for: request, at: now, into: &effects)
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
        ask(.leave(channel: channel), for: PendingRequest(command: command, isKept: true), at: now, into: &effects)
    }

    /// How far a call can get now.
    var reach: CallReach {
        if let openLink { return .server(openLink.id) }
        return login == nil ? .nothing : .login
    }

    /// Sends a request that needs a login over a live link.
    mutating func ask(
        _ body: FrameBody, for request: PendingRequest, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let reach = reach
        guard let connection = reach.connection else { return effects.complete(request.command, reach.refusal) }
        if request.isKept { settling.isDue = true }
        calls.ask(body, for: request, over: connection, &common, at: now, into: &effects)
    }

    /// The request with this number has its answer.
    mutating func answered(_ number: UInt32, _ completion: Completion, into effects: inout [ClientEffect]) {
        calls.end(number, completion, &common, into: &effects)
    }

    mutating func joinAnswered(
        _ number: UInt32, _ status: Status, channel: String, members: [String], into effects: inout [ClientEffect]
    ) {
        let asked = calls.requests.contains { $0.number == number && $0.channel == channel }
        if asked && status == .ok && !channels.contains(channel) { channels.append(channel) }
        answered(
            number, Completion(status, rows: status == .ok ? members.map { AnswerRow([("member", $0)]) } : []),
            into: &effects)
    }

    mutating func watchAnswered(_ number: UInt32, _ status: Status, into effects: inout [ClientEffect]) {
        let request = calls.end(number, Completion(status), &common, into: &effects)
        if status != .ok, let user = request?.newWatch { watched.removeAll { $0.user == user } }
    }

    mutating func requestTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) {
        if readTimedOut(number, into: &effects) || settlementTimedOut(number, at: now, into: &effects)
            || syncTimedOut(number, at: now, into: &effects)
        {
            return
        }
        guard let request = calls.end(number, Completion(.timeout), &common, into: &effects) else { return }
        // Nobody knows whether an order is registered for the end of this connection; with the next one both sides do
        // (C-15).
        if !request.path.isEmpty { return linkEnded(.byUs, at: now, into: &effects) }
        unanswered(request, at: now, into: &effects)
    }

    /// The link is gone, and with it the answers.
    mutating func failRequests(_ status: Status, into effects: inout [ClientEffect]) {
        publishConnection(false, into: &effects)
        if let number = settling.request { timers.cancel(.request(number)) }
        settling.request = nil
        for request in calls.fail(status, &common, into: &effects) {
            if request.attributes != nil { settling.areAttributesOpen = true }
            if let user = request.newWatch { watched.removeAll { $0.user == user } }
        }
        if !policy.features.contains(.messageQueue) { messages.fail(status, &common, into: &effects) }
    }

    /// The login is gone, and with it everything that waits (C-4, C-14).
    mutating func failCalls(_ status: Status, into effects: inout [ClientEffect]) {
        failRequests(status, into: &effects)
        messages.fail(status, &common, into: &effects)
        endTree(status, into: &effects)
        messages.failed.removeAll()
    }
}
