import IMProtocol
import SansIO

// Client and server must agree on the server-side state of a login (C-15). After each reconnect, and after every
// missing answer, the client sends the complete state of its login, and repeats it until the server confirms it.

/// The state of the reconciliation between a client and its server.
struct Reconciliation: Hashable, Sendable, Codable {
    /// True if the client has requested any state that the server keeps.
    var isNeeded = false
    /// The request in progress; nil if there is none. Answers to earlier ones are ignored.
    var request: UInt32?
    /// The last request over this connection, answered or not.
    var last: UInt32?
    /// True if the server's copy of the user's attributes is unknown.
    var areAttributesUnknown = false
}

extension Subscriptions {
    /// The server has accepted the login again. The answer may have got lost that reported dropped attributes, so the
    /// client sends its attributes again (C-15).
    mutating func loginAccepted() {
        if !attributes.isEmpty { reconciliation.areAttributesUnknown = true }
    }

    /// Restores the state of the old connection; only a confirmed login does (C-15).
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
        reconcile(over: connection, calls, &common, at: now, into: &effects)
    }

    /// Sends the complete state of the login, if it ever requested any, and repeats it until it is answered.
    mutating func reconcile(
        over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard reconciliation.isNeeded, let connection else { return }
        if let before = reconciliation.request { common.timers.cancel(.request(before)) }
        let request = common.makeRequestNumber()
        (reconciliation.request, reconciliation.last) = (request, request)
        common.timers.set(.request(request), at: now + common.policy.requestTimeLimit)
        // Includes the channels that are being joined: their answers, or their time-outs, follow. Excludes attributes
        // that are being set, because their new value is not decided yet.
        let joining = calls.joining.filter { !channels.contains($0) }
        let snapshot = SubscriptionSnapshot(
            channels: channels + joining, watched: watched.map(\.user),
            attributes: reconciliation.areAttributesUnknown && !calls.isSettingAttributes ? attributes : nil)
        for frame in snapshot.frames(request: request) { effects.append(.send(connection, frame)) }
    }

    /// A request was refused. If a reconciliation was sent after it, that one assumed success, so it is sent again.
    mutating func reconcileIfOvertaken(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard status.isRefusal, let last = reconciliation.last, Frame.isRequest(number, before: last) else { return }
        reconcile(over: connection, calls, &common, at: now, into: &effects)
    }

    /// Repeats a reconciliation without an answer. False for any other request.
    mutating func reconcileTimedOut(
        _ number: UInt32, over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        guard reconciliation.request == number else { return false }
        reconciliation.request = nil
        reconcile(over: connection, calls, &common, at: now, into: &effects)
        return true
    }

    /// The server has confirmed the state, except for what it refuses: the client removes that too and notifies the
    /// app.
    mutating func reconciled(
        _ number: UInt32, of user: String, refusedChannels: [String], refusedWatches: [String],
        _ calls: ClientCalls, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard reconciliation.request == number else { return }
        reconciliation.request = nil
        common.timers.cancel(.request(number))
        if !calls.isSettingAttributes { reconciliation.areAttributesUnknown = false }
        watched.removeAll { refusedWatches.contains($0.user) }
        for channel in refusedChannels where channels.contains(channel) {
            channels.removeAll { $0 == channel }
            members.removeAll { $0.channel == channel }
            // The vendor's only notification for the end of a membership (RTM-4).
            effects.append(.notify(.memberChanged(channel: channel, user: user, joined: false)))
        }
    }

    /// A request has ended without an answer: its effect is reconciled as soon as possible.
    mutating func unanswered(
        _ request: PendingRequest, over connection: ConnectionID?, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        recordUnanswered(request)
        if request.isReconciled { reconcile(over: connection, calls, &common, at: now, into: &effects) }
    }

    /// The connection has ended: the next one reconciles the state.
    mutating func linkLost(_ requests: [PendingRequest], _ common: inout ClientCommon) {
        if let number = reconciliation.request { common.timers.cancel(.request(number)) }
        (reconciliation.request, reconciliation.last) = (nil, nil)
        for request in requests { recordUnanswered(request) }
    }

    private mutating func recordUnanswered(_ request: PendingRequest) {
        if request.attributes != nil { reconciliation.areAttributesUnknown = true }
        if let user = request.newWatch { stopWatching(user) }
    }
}
