import IMProtocol
import IMTree
import SansIO

// Parts of the client's state, for the debugger and for the checkers, which compare client and server.

extension ClientMachine {
    /// The server's number of the current login (C-6); 0 before the server has accepted the login, nil without a login.
    package var loginEpoch: LoginEpoch? { login?.epoch }

    /// True if the client has detected that the token of the current login has expired.
    package var isLoginTokenExpired: Bool { login?.isTokenExpired ?? false }

    /// The client's connection, open or being opened (C-2); nil if there is none.
    package var connection: ConnectionID? { phase.connection }

    /// The number of calls without an answer from the server.
    package var requestsWaiting: Int { calls.requests.count }

    /// The number of messages that the server has not acknowledged.
    package var messagesWaiting: Int { messages.outbox.count }

    /// The ids of the user's other devices that are online, according to the server's last notification.
    package var otherDeviceIDs: [String] { otherDevices.map(\.id) }

    /// The user's own attributes that the server has accepted from this device.
    package var ownAttributes: [AnswerField] { subscriptions.attributes }

    /// The watched users, each with the last presence that the app was notified of; nil before the first notification.
    package var watchedUsers: [(user: String, isPresent: Bool?)] {
        subscriptions.watched.map { ($0.user, $0.isPresent) }
    }

    /// The known values of the tree. With `isInfo`, those at `.info`, which describe the client's own connection
    /// (SYNC-5).
    public func knownTree(ofInfo isInfo: Bool) -> SyncTree { isInfo ? tree.info : tree.client.tree }

    /// The listens that the client has requested from the server.
    package var treeListens: [TreeListen] { tree.client.tree.activeListens }

    /// Each path and query that the app listens to, with the known value; nil if the client lacks a part of the value.
    package var treeViews: [(path: TreePath, query: TreeQuery, known: TreeNode?)] {
        tree.listeners.filter { !$0.path.isInfo }.map { ($0.path, $0.query, tree.known($0.query, at: $0.path)) }
    }

    /// The number of transactions and writes that the server has not acknowledged.
    package var treeChangesWaiting: Int { tree.transactions.count + tree.writes.count }

    /// The number of the last server change in the user's local data; nil while the data is not open (ZIM-9).
    package var dataPosition: UInt64? { if case .open(let position) = data.stage { position } else { nil } }

    /// True if the user has made changes on this device that the server has not received (ZIM-9).
    package var hasUnsentChanges: Bool { user.map { local.unsent.first(of: $0) != nil } ?? false }

    /// The number of timers that are set.
    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, the earliest first.
    package var setTimers: [Deadlines<ClientTimer>.Entry] { timers.entries }

    /// A copy of the client without the timers that do not satisfy the condition.
    package func keepingTimers(where isKept: (ClientTimer) -> Bool) -> ClientMachine {
        var copy = self
        copy.timers.cancel { !isKept($0) }
        return copy
    }

    /// True if a logout is in progress.
    package var isLeaving: Bool { if case .leaving = phase { true } else { false } }

    /// The id of the message with this number in the outbox; nil if the server has answered the message.
    package func waitingMessage(_ number: UInt64) -> String? {
        messages.outbox.first { $0.number == number }?.message.id
    }

    /// The number of retries since the server last accepted the login, with the delays and the jitter of the retries;
    /// nil without a login.
    package var retry: (count: Int, delays: [Interval], jitterPerMille: Int64)? {
        guard let login else { return nil }
        return (
            login.retryCount, ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays, policy.retryJitterPerMille
        )
    }

    /// Continues with the random numbers of another seed. Values that were drawn before, such as the process name, do
    /// not change.
    package mutating func reseed(seed: UInt64) { random = SeededRandom(seed: seed) }
}
