import IMProtocol
import IMTree
import SansIO

// What the client holds, for whoever compares it with what the server holds: a debugger, an oracle. Asking changes
// nothing.

extension ClientMachine {
    /// The server's number of the login; nil where there is none, 0 before its first success (C-6).
    package var loginEpoch: LoginEpoch? { login?.epoch }

    /// Whether the server has ever accepted the login.
    package var isLoginEstablished: Bool { login?.isEstablished ?? false }

    /// Whether it is known that the login's token is of no use any more.
    package var isLoginTokenExpired: Bool { login?.isTokenExpired ?? false }

    /// The one link that it has, open or being made (C-2).
    package var connection: ConnectionID? { phase.connection }

    /// Calls whose answers have not come.
    package var requestsWaiting: Int { calls.requests.count }

    /// Messages that have not been taken in by the server.
    package var messagesWaiting: Int { messages.outbox.count }

    /// The ids of the user's other devices that are online, as far as it knows.
    package var otherDeviceIDs: [String] { otherDevices.map(\.id) }

    /// The user's attributes as far as they were set from here.
    package var ownAttributes: [AnswerField] { holdings.attributes }

    /// Whose presence is watched, and whether they are there as far as it knows.
    package var watchedUsers: [(user: String, isThere: Bool?)] { holdings.watched.map { ($0.user, $0.isThere) } }

    /// What it knows of the tree; of its own connection where that is asked for (SYNC-5).
    public func knownTree(ofInfo isInfo: Bool) -> SyncTree { isInfo ? tree.info : tree.client.tree }

    /// What the server was asked to tell of the tree.
    package var treeListens: [TreeListen] { tree.client.tree.activeListens }

    /// Each place of the tree that the app listens to, with what the app knows of it; nil where that is not complete.
    package var treeViews: [(path: TreePath, query: TreeQuery, known: TreeNode?)] {
        tree.listeners.filter { !$0.path.isInfo }.map { ($0.path, $0.query, tree.known($0.query, at: $0.path)) }
    }

    /// Transactions and writes that the server has not confirmed.
    package var treeChangesWaiting: Int { tree.transactions.count + tree.writes.count }

    /// The number of the last change of the user's data that the device has; nil while they are not open (ZIM-9).
    package var dataPosition: UInt64? { if case .open(let position) = data.stage { position } else { nil } }

    /// Whether the server has yet to be told of something that the user did on this device (ZIM-9).
    package var hasUnsentChanges: Bool { user.map { local.unsent.first(of: $0) != nil } ?? false }

    /// The timers that are set.
    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, next one first.
    package var setTimers: [Deadlines<ClientTimer>.Entry] { timers.entries }

    /// The same client with only some of its timers.
    package func keepingTimers(where isKept: (ClientTimer) -> Bool) -> ClientMachine {
        var copy = self
        copy.timers.cancel { !isKept($0) }
        return copy
    }

    /// Whether a logout is under way.
    package var isLeaving: Bool { if case .leaving = phase { true } else { false } }

    /// The id of a message that waits for the server's answer, by the number of its sending; nil for one that does not.
    package func waitingMessage(_ number: UInt64) -> String? {
        messages.outbox.first { $0.number == number }?.message.id
    }

    /// How many retries have been made since the login was last established, and the waits that they are taken from.
    package var retry: (count: Int, delays: [Interval], jitterPerMille: Int64)? {
        guard let login else { return nil }
        return (
            login.retryCount, ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays, policy.retryJitterPerMille
        )
    }

    /// Other chance from here on. What has been named by chance keeps its name.
    package mutating func drawAnew(seed: UInt64) { random = SeededRandom(seed: seed) }
}
