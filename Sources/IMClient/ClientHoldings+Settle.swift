import IMProtocol
import SansIO

// What the server holds for a login is what the client knows of (C-15). After each reconnect, and whenever an answer
// did not come, the client says all that its login holds, and asks until the server has agreed.

/// What is open between a client and its server about what the login holds.
struct Settling: Hashable, Sendable, Codable {
    /// Whether anything has been asked for that the server keeps.
    var isDue = false
    /// The request under way; nil when none is. An answer to an earlier one is of no use any more.
    var request: UInt32?
    /// The last request over this link, answered or not.
    var last: UInt32?
    /// What the server has of the user's attributes is not known.
    var areAttributesOpen = false
}

extension ClientHoldings {
    /// The server has accepted the login once more. An answer that said that the attributes were forgotten may have been
    /// lost: who has attributes says them again (C-15).
    mutating func loginAccepted() {
        if !attributes.isEmpty { settling.areAttributesOpen = true }
    }

    /// Restores what the old link held; only a confirmed login does (C-15).
    mutating func restore(
        over connection: ConnectionID, _ calls: ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        members.removeAll { !channels.contains($0.channel) }
        for channel in channels {
            effects.append(
                .send(connection, Frame(request: common.makeRequestNumber(), .join(channel: channel))))
        }
        for user in watched {
            effects.append(
                .send(connection, Frame(request: common.makeRequestNumber(), .watch(user: user.user, isOn: true))))
        }
        settle(over: connection, calls, &common, at: now, into: &effects)
    }

    /// Says what the login holds, if it ever asked for anything, and again until that is answered.
    mutating func settle(
        over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard settling.isDue, let connection else { return }
        if let before = settling.request { common.timers.cancel(.request(before)) }
        let request = common.makeRequestNumber()
        (settling.request, settling.last) = (request, request)
        common.timers.set(.request(request), at: now + common.policy.requestTimeLimit)
        // What is being joined belongs to it: its answer, or the lack of one, comes by itself. Attributes that are being
        // set do not: nobody knows yet which ones they will be.
        let joining = calls.joining.filter { !channels.contains($0) }
        let settlement = Settlement(
            channels: channels + joining, watched: watched.map(\.user),
            attributes: settling.areAttributesOpen && !calls.isSettingAttributes ? attributes : nil)
        for frame in settlement.frames(request: request) { effects.append(.send(connection, frame)) }
    }

    /// A request was refused. A settlement that was said behind it knew nothing of that: things are settled once more.
    mutating func settleIfOvertaken(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard status.isRefusal, let last = settling.last, Frame.isRequest(number, before: last) else { return }
        settle(over: connection, calls, &common, at: now, into: &effects)
    }

    /// No answer came to a settlement: it is asked again. False for any other request.
    mutating func settlementTimedOut(
        _ number: UInt32, over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        guard settling.request == number else { return false }
        settling.request = nil
        settle(over: connection, calls, &common, at: now, into: &effects)
        return true
    }

    /// The server agrees, but for what it refuses: that is gone here too, and the app is told.
    mutating func settled(
        _ number: UInt32, of user: String, refusedChannels: [String], refusedWatches: [String],
        _ calls: ClientCalls, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard settling.request == number else { return }
        settling.request = nil
        common.timers.cancel(.request(number))
        if !calls.isSettingAttributes { settling.areAttributesOpen = false }
        watched.removeAll { refusedWatches.contains($0.user) }
        for channel in refusedChannels where channels.contains(channel) {
            channels.removeAll { $0 == channel }
            members.removeAll { $0.channel == channel }
            // The one word that the vendor has for being out of a channel (RTM-4).
            effects.append(.notify(.memberChanged(channel: channel, user: user, joined: false)))
        }
    }

    /// A request has ended without an answer; what the server made of it is settled as soon as it can be.
    mutating func unanswered(
        _ request: PendingRequest, over connection: ConnectionID?, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        note(unanswered: request)
        if request.isKept { settle(over: connection, calls, &common, at: now, into: &effects) }
    }

    /// The link is gone, and with it the answers; the next one settles it.
    mutating func linkLost(_ requests: [PendingRequest], _ common: inout ClientCommon) {
        if let number = settling.request { common.timers.cancel(.request(number)) }
        (settling.request, settling.last) = (nil, nil)
        for request in requests { note(unanswered: request) }
    }

    private mutating func note(unanswered request: PendingRequest) {
        if request.attributes != nil { settling.areAttributesOpen = true }
        if let user = request.newWatch { stopWatching(user) }
    }
}
