import IMProtocol
import OrderedCollections
import SansIO

/// An account, with everything that outlives its connections.
struct Account: Hashable, Sendable, Codable {
    var isBanned = false
    /// Counts the explicit logins (C-6).
    var epoch: LoginEpoch = 0
    /// Every device that ever logged in, by its id, in order of its first login.
    var devices: OrderedDictionary<String, DeviceRecord> = [:]
    /// The device that logged in last, for each group of devices that exclude each other (NIM-4).
    var lastLogins: [LastLogin] = []
    /// Messages for a user who has no device yet, oldest first; the first device receives them.
    var inbox = Inbox()
    /// The user's attributes, while the user is online (RTM-4).
    var attributes: [AnswerField] = []
    /// The items that a sync brings (NIM-14), by phase.
    var syncItems: OrderedDictionary<SyncPhase, [SyncItem]> = [:]
    /// The changes for the user's devices (ZIM-9).
    var feed = ChangeFeed()
    // Optional, so that accounts stored by an older version can be read.
    /// The status with which the server answers instead of serving the account, set by the operator. Nil if it serves
    /// it.
    var refusal: Status?
    /// Credentials made before this time are invalid, in milliseconds since 1970: the password was changed then, or an
    /// account of this name was removed.
    var credentialsSinceMilliseconds: Int64?
    /// Logins up to this one belong to a removed account of this name (C-7).
    var removedThrough: LoginEpoch?
    /// Logins up to this one were ended by a change of the password (CHAT-10).
    var passwordChangedThrough: LoginEpoch?
}

/// The rest of a removed account: the data for notifying its devices (C-7), and the epoch from which the next account
/// of the name continues, so that a login of the old account never counts as one of the new account.
struct RemovedAccount: Hashable, Sendable, Codable {
    var lastEpoch: LoginEpoch
    /// The time of the removal, in milliseconds since 1970; its credentials ended then.
    var atMilliseconds: Int64

    /// The next account of the name.
    var successor: Account {
        var account = Account()
        account.epoch = lastEpoch
        account.removedThrough = lastEpoch
        account.credentialsSinceMilliseconds = atMilliseconds
        return account
    }
}

/// The last login of a group of devices: its device and its epoch.
struct LastLogin: Hashable, Sendable, Codable {
    var group: DeviceGroup?
    var device: String
    var epoch: LoginEpoch
}

/// The server's record of a device.
struct DeviceRecord: Hashable, Sendable, Codable {
    var device: Device
    /// The login it holds, with or without a connection; nil after a logout or a kick.
    var login: DeviceLogin?
    /// A kick that the device has not confirmed (C-7).
    var undeliveredKick: KickNotice?
    /// True if pushes go to the device; a logout unbinds it (NIM-10).
    var isPushBound = false
    /// Number of pushes since the device was last connected (CHAT-8).
    var pushCount = 0
    /// The login that lost its slot because the device was offline (CHAT-3).
    var releasedEpoch: LoginEpoch?
    /// The login that the device has logged out of; the answer to the logout may have got lost (CHAT-11).
    var loggedOutEpoch: LoginEpoch?
    /// Messages that the device has not confirmed, oldest first.
    var inbox = Inbox()
    /// Ids received from the device, so that a resent message is stored once (C-14).
    var taken = TakenIDs()
    /// The sync items that it has (NIM-14).
    var pulled = PulledItems()
    /// Numbers of the messages and operations sent to it, by which it confirms them.
    var numbering = Numbering()
    /// Operations of the user's other devices that it has not confirmed, oldest first (CHAT-8).
    var operations: [DeviceOperation] = []
    /// The login that ended with its token. The device may have been away with a new token, and then continues this
    /// login when it comes back if its slot is free (ZIM-6). Optional, as is the next one, because an older version
    /// stored none.
    var expiredEpoch: LoginEpoch?
    /// Its latest login. The device whose latest login is the oldest is dropped first.
    var lastEpoch: LoginEpoch?
    /// The channels of its login, or of the login that it lost by being away too long, with the time of joining
    /// (RTM-8). Nil for none.
    var channelsSince: OrderedDictionary<String, Instant>?
    /// The end of its last connection, in milliseconds since 1970; nil while it is connected.
    var goneSinceMilliseconds: Int64?
    /// Messages and operations that were dropped because it was away too long and there were too many; nil for none.
    var lostCount: Int?
    /// All unconfirmed messages and operations up to this number have gone to the push service; nil for none.
    var pushedThrough: UInt64?
    /// The running instance of the client that logged in last (RTM-6); nil if unknown.
    var lastInstance: UInt64?

    /// True if the device's own state is logged in: it is online, away, or away for so long that it lost its slot.
    var hasLogin: Bool { login != nil || releasedEpoch != nil }

    /// Keeps a message. If the inbox is full, the oldest messages are dropped; this only happens to a device that has
    /// been away too long.
    mutating func keep(_ message: ChatMessage, _ policy: ServerPolicy) {
        let lost = inbox.makeRoom(for: message, policy)
        if lost > 0 { lostCount = (lostCount ?? 0) + lost }
        inbox.append(message)
    }

    mutating func keep(_ operation: DeviceOperation, _ policy: ServerPolicy) {
        let lost = max(0, operations.count + 1 - policy.messagesStoredMax)
        if lost > 0 { lostCount = (lostCount ?? 0) + lost }
        operations.removeFirst(min(lost, operations.count))
        operations.append(operation)
    }

    /// Records that the latest message or operation went to the push service.
    mutating func notePush() {
        pushCount &+= 1
        pushedThrough = numbering.last
    }

    /// Sends everything unconfirmed to the push service, because the connection has ended or confirms nothing (CHAT-8).
    /// Nothing goes to the push service twice.
    mutating func pushUnconfirmed() {
        guard isPushBound else { return }
        let pushed = pushedThrough ?? 0
        let messages = inbox.messages.count { $0.number > pushed }
        let count = messages + operations.count { $0.number > pushed }
        guard count > 0 else { return }
        pushCount &+= count
        pushedThrough = numbering.last
    }

    /// Numbers the waiting entries that have no number: older versions gave none.
    mutating func numberAll(clock: Int64) {
        inbox.number { numbering.next(clock: clock) }
        for index in operations.indices where operations[index].number == 0 {
            operations[index].number = numbering.next(clock: clock)
        }
    }

    /// Records that the device counts as offline and holds no slot any more (CHAT-3).
    mutating func release() {
        guard let login else { return }
        releasedEpoch = login.epoch
        self.login = nil
    }
}

/// The times of a device's login requests to an account, oldest first, and the end of its penalty (NIM-8).
struct LoginPace: Hashable, Sendable, Codable {
    var times: [Instant] = []
    var refusedUntil: Instant?
}

/// The key of the login rate limiter. An admin call without a login has no device.
struct LoginPaceKey: Hashable, Sendable, Codable {
    var user: String
    var device: String
    /// The address that wrong credentials came from. Nil for logins with a correct one, and if it is unknown.
    var origin: UInt32?
}

struct DeviceLogin: Hashable, Sendable, Codable {
    var epoch: LoginEpoch
    /// The connection that carries it now; nil while the device is away.
    var connection: ConnectionID?
    /// True if other users see the device as online; this may outlast the connection (RTM-4).
    var isPresent: Bool
    /// The time of the login; the earliest login is ended first if there are too many.
    var since: Instant
    /// When its token expires, in milliseconds since 1970; 0 if it does not.
    var expiresAtMilliseconds: Int64 = 0
    /// The channels that it is in, in the order of joining; nil for none, as stored by older versions.
    private var joined: [String]?

    init(epoch: LoginEpoch, connection: ConnectionID?, isPresent: Bool, since: Instant) {
        self.epoch = epoch
        self.connection = connection
        self.isPresent = isPresent
        self.since = since
    }

    /// The channels belong to the login and outlast its connection (RTM-4).
    var channels: [String] {
        get { joined ?? [] }
        set { joined = newValue.isEmpty ? nil : newValue }
    }
}

/// The server's record of a connection.
struct Connection: Hashable, Sendable, Codable {
    enum Stage: Hashable, Sendable, Codable {
        /// Nobody has logged in yet.
        case fresh
        case loggedIn(user: String, device: String)
        /// A kick or a logout has ended its login; it may only confirm that.
        case ended(user: String, device: String)
    }

    var stage: Stage = .fresh
    /// The user who is logged in over it.
    var user: String? {
        guard case .loggedIn(let user, _) = stage else { return nil }
        return user
    }
    /// When a frame last arrived over it.
    var lastReceived: Instant
    /// Changes of the tree that it requested since ``treeWritesSince``.
    var treeWrites = 0
    var treeWritesSince = Instant.zero

    /// The pages received so far of a tree request that takes several frames.
    var treePages: Frame?

    /// The request number of the last tree request that changes something. A request made before it that arrives after
    /// it is void (C-3); otherwise a listen would outlive its own end. The client gets no answer and sends it again.
    var treeRequest: UInt32?

    /// True if messages wait for the device's sync, and newer ones queue after them. Nil if none do.
    var holdsMessages: Bool?

    /// The users whose presence it watches, in the order of the requests (ZIM-5).
    var watching: OrderedSet<String> = []
    /// The channels whose members and missed messages it has received, or whose messages it has not missed (RTM-8); nil
    /// for none.
    var replayed: OrderedSet<String>?
    /// True if it has broken and the server detects that only by its silence (SYNC-9). Nil if it has not.
    var isBroken: Bool?
    /// The parts of a reconciliation received so far.
    var settling: PartialSnapshot?
    /// The request number of the last reconciliation: an older request that arrives after it is void (C-3).
    var settled: UInt32?
    /// The request number of the last reconciliation that contains the user's attributes, or of the last request that
    /// sets them. An older request that arrives after it is void (C-3).
    var settledAttributes: UInt32?
    /// The request number of the last join, leave or watch. An older change or reconciliation that arrives after it is
    /// outdated.
    var changed: UInt32?
    /// The request number of the last accepted token renewal: an older one that arrives after it is void (P11).
    var renewed: UInt32?
    /// The checksums of the unsolicited frames that were sent and received over it (C-15).
    var sentChecksum = FrameChecksum()
    var receivedChecksum = FrameChecksum()
    /// True if a sync was requested over it: lost items of that sync are sent again.
    var hasSynced = false

    mutating func noteReplayed(_ channel: String) {
        replayed = replayed ?? []
        replayed?.append(channel)
    }

    /// True if a tree request is not void. Updates the number that the next request is compared with.
    mutating func takesTree(_ request: TreeRequest, _ frame: Frame) -> Bool {
        if case .get = request { return true }
        guard !frame.isOlder(than: treeRequest) else { return false }
        // If the network duplicated it, its own effect would make it fail, and the client would take that answer for
        // the first one's.
        if case .transaction = request, frame.page == 0, frame.request != 0, frame.request == treeRequest {
            return false
        }
        if frame.request != 0 { treeRequest = frame.request }
        return true
    }

    /// True if the connection may request one more change of the tree now; that change is counted.
    mutating func mayWrite(at now: Instant, _ policy: ServerPolicy) -> Bool {
        guard policy.treeWritesMax > 0 else { return true }
        if now - treeWritesSince >= policy.treeWritesWindow { (treeWrites, treeWritesSince) = (0, now) }
        guard treeWrites < policy.treeWritesMax else { return false }
        treeWrites += 1
        return true
    }
}

/// A reconciliation of which more parts are to come.
struct PartialSnapshot: Hashable, Sendable, Codable {
    var request: UInt32
    var pages: UInt32
    var settlement: SubscriptionSnapshot
}

/// The timers of a server; those that are due at the same time fire in this order.
package enum ServerTimer: Hashable, Comparable, Sendable, Codable {
    /// Checks whether the connection has been silent for too long.
    case silence(ConnectionID)
    /// Ends a connection without a login, or one that does not confirm its kick.
    case overdue(ConnectionID)
    /// Ends the time for which a user counts as online after the connection broke (RTM-4).
    case presence(user: String, device: String)
    /// Ends a login when its token expires.
    case token(user: String, device: String)
    /// Checks whether the device still has unconfirmed messages or operations (CHAT-8).
    case push(user: String, device: String)
}

/// A channel, with the messages that are replayed to members who were away.
struct Channel: Hashable, Sendable, Codable {
    /// In the order of joining, each with the devices that are in the channel.
    var members: OrderedDictionary<String, [String]> = [:]
    var attributes: [AnswerField] = []
    /// The latest messages, oldest first (RTM-8).
    var messages: [ChannelMessage] = []
    var numbering = Numbering()
}

struct ChannelMessage: Hashable, Sendable, Codable {
    var message: ChatMessage
    var sentAt: Instant
}
