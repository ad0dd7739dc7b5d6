import IMProtocol
import SansIO

// Client and server must agree on the channels, watches and attributes of a login (C-15). After each reconnect, and
// after every missing answer, the client sends all of them in a snapshot. It sends the snapshot again until the server
// confirms it.

/// The state of the reconciliation between a client and its server.
struct Reconciliation: Hashable, Sendable, Codable {
    /// True if the client has requested a channel, a watch or attributes since the login started. Otherwise there is
    /// nothing to reconcile.
    var isNeeded = false
    /// The number of the snapshot's request without an answer; nil if there is none. Answers to earlier requests are
    /// ignored.
    var request: UInt32?
    /// The number of the last snapshot's request over this connection, answered or not; nil if there is none.
    var last: UInt32?
    /// True if the client does not know which attributes of the user the server has, so that it must send them again.
    var areAttributesUnknown = false
}

extension Subscriptions {
    /// Handles the server's acceptance of a login or a reconnect. The server may have dropped the user's attributes,
    /// and the answer that reported this may have been lost. So the next snapshot contains the attributes (C-15).
    mutating func loginAccepted() {
        if !attributes.isEmpty { reconciliation.areAttributesUnknown = true }
    }

    /// Joins the channels and watches the users of the old connection again, after the server has accepted the login
    /// over a new connection (C-15).
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

    /// Sends a snapshot of the login's channels, watches and attributes. Sets the timer after which the client sends it
    /// again.
    mutating func reconcile(
        over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard reconciliation.isNeeded, let connection else { return }
        if let before = reconciliation.request { common.timers.cancel(.request(before)) }
        let request = common.makeRequestNumber()
        (reconciliation.request, reconciliation.last) = (request, request)
        common.timers.set(.request(request), at: now + common.policy.requestTimeLimit)
        // The snapshot contains the channels whose joins have no answer yet. If such a join fails, another snapshot
        // follows. While a request sets attributes, the snapshot contains no attributes, because the request may be
        // accepted or refused.
        let joining = calls.joining.filter { !channels.contains($0) }
        let snapshot = SubscriptionSnapshot(
            channels: channels + joining, watched: watched.map(\.user),
            attributes: reconciliation.areAttributesUnknown && !calls.isSettingAttributes ? attributes : nil)
        for frame in snapshot.frames(request: request) { effects.append(.send(connection, frame)) }
    }

    /// Sends a snapshot again after the server has refused a request. A snapshot that was sent after the request
    /// assumed that the request succeeds, so it was wrong.
    mutating func reconcileIfOvertaken(
        _ number: UInt32, _ status: Status, over connection: ConnectionID, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard status.isRefusal, let last = reconciliation.last, Frame.isRequest(number, before: last) else { return }
        reconcile(over: connection, calls, &common, at: now, into: &effects)
    }

    /// Handles the time limit of a snapshot's request: sends the snapshot again.
    ///
    /// - Returns: true if the number belongs to a snapshot's request.
    mutating func snapshotTimedOut(
        _ number: UInt32, over connection: ConnectionID?, _ calls: ClientCalls, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        guard reconciliation.request == number else { return false }
        reconciliation.request = nil
        reconcile(over: connection, calls, &common, at: now, into: &effects)
        return true
    }

    /// Handles the server's confirmation of a snapshot. The client removes the channels and watches that the server
    /// refuses, and notifies the app of each removed channel.
    mutating func snapshotConfirmed(
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
            // The vendor has no other notification for the end of the user's own membership (RTM-4).
            effects.append(.notify(.memberChanged(channel: channel, user: user, joined: false)))
        }
    }

    /// Handles a request that has ended without an answer. If the request changes channels, attributes or watches, the
    /// client sends a snapshot.
    mutating func requestUnanswered(
        _ request: PendingRequest, over connection: ConnectionID?, _ calls: ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        recordUnanswered(request)
        if request.isReconciled { reconcile(over: connection, calls, &common, at: now, into: &effects) }
    }

    /// Handles the end of the connection. After the next login, the client sends a snapshot.
    mutating func linkLost(_ requests: [PendingRequest], _ common: inout ClientCommon) {
        if let number = reconciliation.request { common.timers.cancel(.request(number)) }
        (reconciliation.request, reconciliation.last) = (nil, nil)
        for request in requests { recordUnanswered(request) }
    }

    /// Records the part of the state that a request without an answer leaves unknown.
    private mutating func recordUnanswered(_ request: PendingRequest) {
        if request.attributes != nil { reconciliation.areAttributesUnknown = true }
        if let user = request.newWatch { stopWatching(user) }
    }
}
