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
    /// What the server has of the user's attributes is not known.
    var areAttributesOpen = false
}

/// A user whose presence is watched.
struct Watched: Hashable, Sendable, Codable {
    var user: String
    /// What the app was told last; nil as long as nothing has come.
    var isThere: Bool?
}

extension ClientMachine {
    /// Says what the login holds, if it ever asked for anything, and again until that is answered.
    mutating func settle(at now: Instant, into effects: inout [ClientEffect]) {
        guard settling.isDue, let link = openLink else { return }
        if let before = settling.request { timers.cancel(.request(before)) }
        let request = makeRequestNumber()
        settling.request = request
        timers.set(.request(request), at: now + policy.requestTimeLimit)
        // What is being joined belongs to it: its answer, or the lack of one, comes by itself. Attributes that are being
        // set do not: nobody knows yet which ones they will be.
        let joining = calls.joining.filter { !channels.contains($0) }
        let settlement = Settlement(
            channels: channels + joining, watched: watched.map(\.user),
            attributes: settling.areAttributesOpen && !calls.isSettingAttributes ? attributes : nil)
        for frame in settlement.frames(request: request) { effects.append(.send(link.id, frame)) }
    }

    /// No answer came to a settlement: it is asked again. False for any other request.
    mutating func settlementTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        guard settling.request == number else { return false }
        settling.request = nil
        settle(at: now, into: &effects)
        return true
    }

    /// The server agrees, but for what it refuses: that is gone here too, and the app is told.
    mutating func settled(
        _ number: UInt32, refusedChannels: [String], refusedWatches: [String], into effects: inout [ClientEffect]
    ) {
        guard settling.request == number else { return }
        settling.request = nil
        timers.cancel(.request(number))
        if !calls.isSettingAttributes { settling.areAttributesOpen = false }
        watched.removeAll { refusedWatches.contains($0.user) }
        for channel in refusedChannels where channels.contains(channel) {
            channels.removeAll { $0 == channel }
            // The one word that the vendor has for being out of a channel (RTM-4).
            effects.append(.notify(.memberChanged(channel: channel, user: user ?? "", joined: false)))
        }
    }

    /// A request has ended without an answer; what the server made of it is settled as soon as it can be.
    mutating func unanswered(_ request: PendingRequest, at now: Instant, into effects: inout [ClientEffect]) {
        if request.attributes != nil { settling.areAttributesOpen = true }
        if let user = request.newWatch { watched.removeAll { $0.user == user } }
        if request.isKept { settle(at: now, into: &effects) }
    }

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
}
