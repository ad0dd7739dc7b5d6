import IMProtocol
import IMTree
import SansIO

// The client's state, for a debugger or a checker that compares it with the server's state. Reading it changes nothing.

extension ClientMachine {
    /// The server's number of the login; nil if there is none, 0 before its first success (C-6).
    package var loginEpoch: LoginEpoch? { login?.epoch }

    /// True if the server has accepted the login at least once.
    package var isLoginEstablished: Bool { login?.isEstablished ?? false }

    /// True if the login's token is known to be invalid.
    package var isLoginTokenExpired: Bool { login?.isTokenExpired ?? false }

    /// Its one connection, open or opening (C-2).
    package var connection: ConnectionID? { phase.connection }

    /// Number of calls without an answer.
    package var requestsWaiting: Int { calls.requests.count }

    /// Number of messages that the server has not confirmed.
    package var messagesWaiting: Int { messages.outbox.count }

    /// The ids of the user's other devices that are online, as the client has been notified.
    package var otherDeviceIDs: [String] { otherDevices.map(\.id) }

    /// The user's attributes, as set from this device.
    package var ownAttributes: [AnswerField] { subscriptions.attributes }

    /// The watched users, and whether they are online as the client has been notified.
    package var watchedUsers: [(user: String, isPresent: Bool?)] {
        subscriptions.watched.map { ($0.user, $0.isPresent) }
    }

    /// The client's tree, or with `isInfo` the one about its own connection (SYNC-5).
    public func knownTree(ofInfo isInfo: Bool) -> SyncTree { isInfo ? tree.info : tree.client.tree }

    /// The listens requested from the server.
    package var treeListens: [TreeListen] { tree.client.tree.activeListens }

    /// Each path that the app listens to, with its known value; nil if that is not complete.
    package var treeViews: [(path: TreePath, query: TreeQuery, known: TreeNode?)] {
        tree.listeners.filter { !$0.path.isInfo }.map { ($0.path, $0.query, tree.known($0.query, at: $0.path)) }
    }

    /// Transactions and writes that the server has not confirmed.
    package var treeChangesWaiting: Int { tree.transactions.count + tree.writes.count }

    /// The number of the last change in the user's local data; nil while the data is not open (ZIM-9).
    package var dataPosition: UInt64? { if case .open(let position) = data.stage { position } else { nil } }

    /// True if the server has not received every change that the user made on this device (ZIM-9).
    package var hasUnsentChanges: Bool { user.map { local.unsent.first(of: $0) != nil } ?? false }

    /// The number of timers that are set.
    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, next one first.
    package var setTimers: [Deadlines<ClientTimer>.Entry] { timers.entries }

    /// The client with only some of its timers.
    package func keepingTimers(where isKept: (ClientTimer) -> Bool) -> ClientMachine {
        var copy = self
        copy.timers.cancel { !isKept($0) }
        return copy
    }

    /// True if a logout is in progress.
    package var isLeaving: Bool { if case .leaving = phase { true } else { false } }

    /// The id of a message that waits for the server's answer, by the number of its sending; nil if it does not wait.
    package func waitingMessage(_ number: UInt64) -> String? {
        messages.outbox.first { $0.number == number }?.message.id
    }

    /// The number of retries since the login was last established, and the delays that they use. Nil without a login.
    package var retry: (count: Int, delays: [Interval], jitterPerMille: Int64)? {
        guard let login else { return nil }
        return (
            login.retryCount, ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays, policy.retryJitterPerMille
        )
    }

    /// Replaces the random numbers from now on. Names that were made randomly stay.
    package mutating func reseed(seed: UInt64) { random = SeededRandom(seed: seed) }
}
