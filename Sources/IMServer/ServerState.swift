import IMProtocol
import OrderedCollections
import SansIO

/// An account and everything that outlives its connections.
struct Account: Hashable, Sendable, Codable {
    var isBanned = false
    /// Counts the explicit logins (C-6).
    var epoch: LoginEpoch = 0
    /// Every device that ever logged in, by its id, in order of its first login.
    var devices: OrderedDictionary<String, DeviceRecord> = [:]
    /// The device that logged in last, for each group of devices that exclude each other (NIM-4).
    var lastLogins: [LastLogin] = []
    /// Messages for a user who has no device yet, oldest first; the first device takes them along.
    var inbox = Inbox()
    /// The user's attributes, while the user is there (RTM-4).
    var attributes: [AnswerField] = []
    /// What a sync brings (NIM-14), by phase.
    var syncItems: OrderedDictionary<SyncPhase, [SyncItem]> = [:]
    /// What the user's devices are to know (ZIM-9).
    var feed = ChangeFeed()
    // Optional, so that accounts that an older version kept can be read.
    /// What the operator has the server answer instead of serving the account; nil for serving it.
    var refusal: Status?
    /// Credentials made before this are worth nothing, in milliseconds since 1970: the password was changed then, or an
    /// account of this name removed.
    var credentialsSinceMilliseconds: Int64?
    /// Logins up to this one were those of an account of this name that was removed (C-7).
    var removedThrough: LoginEpoch?
    /// Logins up to this one ended with a change of the password (CHAT-10).
    var passwordChangedThrough: LoginEpoch?
}

/// What stays of an account that was removed: what its devices have to be told (C-7), and where the next account of the
/// name goes on counting, so that no login of the old one is ever taken for one of the new one.
struct RemovedAccount: Hashable, Sendable, Codable {
    var lastEpoch: LoginEpoch
    /// When it was removed, in milliseconds since 1970; its credentials ended then.
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

/// Which device of a group logged in last, and with which login.
struct LastLogin: Hashable, Sendable, Codable {
    var group: DeviceGroup?
    var device: String
    var epoch: LoginEpoch
}

/// A device as the server knows it.
struct DeviceRecord: Hashable, Sendable, Codable {
    var device: Device
    /// The login it holds, with or without a connection; nil after a logout or a kick.
    var login: DeviceLogin?
    /// A kick of which the device has not yet confirmed that it knows (C-7).
    var undeliveredKick: KickNotice?
    /// Whether pushes go to the device; a logout unbinds it (NIM-10).
    var isPushBound = false
    /// Notices handed to the push service since the device was last there (CHAT-8).
    var pushCount = 0
    /// The login that lost its place because the device was offline (CHAT-3).
    var releasedEpoch: LoginEpoch?
    /// The login that the device has logged out of; it may not have heard that it succeeded (CHAT-11).
    var loggedOutEpoch: LoginEpoch?
    /// Messages that the device has not confirmed, oldest first.
    var inbox = Inbox()
    /// What the device has sent, so that a resend is stored once (C-14).
    var taken = TakenIDs()
    /// What it has of the account's things (NIM-14).
    var pulled = PulledItems()
    /// The numbers of what is handed to it, by which it confirms.
    var numbering = Numbering()
    /// Operations of the user's other devices that it has not confirmed, oldest first (CHAT-8).
    var operations: [DeviceOperation] = []
    /// The login that ended with its token while the device may have been away and had a new one already: it goes on
    /// with it when it comes back and its place is free (ZIM-6). Optional, like the next one, because an older
    /// version kept none.
    var expiredEpoch: LoginEpoch?
    /// Its latest login; the device whose latest login is the oldest is forgotten first.
    var lastEpoch: LoginEpoch?
    /// The channels that its login is in, or was before it was away for too long, and since when (RTM-8). Nil for none.
    var channelsSince: OrderedDictionary<String, Instant>?
    /// When its last connection ended, in milliseconds since 1970; nil while it is there.
    var goneSinceMilliseconds: Int64?
    /// Messages and operations that it will never get: it was away for too long, and there were too many; nil for none.
    var lostCount: Int?
    /// Up to this number everything that the device has not confirmed has been handed to the push service; nil for
    /// nothing.
    var pushedThrough: UInt64?
    /// The running instance of the client that logged in last (RTM-6); nil where that is not known.
    var lastInstance: UInt64?

    /// Whether the device is logged in as far as it knows: there, away, or away for so long that it lost its place.
    var hasLogin: Bool { login != nil || releasedEpoch != nil }

    /// Keeps a message. Where there is no room, which only a device that has been away for too long comes to, the oldest
    /// go.
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

    /// The latest message or operation goes to the push service.
    mutating func notePush() {
        pushCount &+= 1
        pushedThrough = numbering.last
    }

    /// The connection is gone, or confirms nothing: what was sent over it and not confirmed goes to the push service
    /// (CHAT-8). What was handed to the push service before is not handed to it again.
    mutating func pushUnconfirmed() {
        guard isPushBound else { return }
        let pushed = pushedThrough ?? 0
        let messages = inbox.messages.count { $0.number > pushed }
        let count = messages + operations.count { $0.number > pushed }
        guard count > 0 else { return }
        pushCount &+= count
        pushedThrough = numbering.last
    }

    /// Gives numbers to what waits without one: older versions gave none.
    mutating func numberAll(clock: Int64) {
        inbox.number { numbering.next(clock: clock) }
        for index in operations.indices where operations[index].number == 0 {
            operations[index].number = numbering.next(clock: clock)
        }
    }

    /// The device counts as offline, and holds no place any more (CHAT-3).
    mutating func release() {
        guard let login else { return }
        releasedEpoch = login.epoch
        self.login = nil
    }
}

/// When a device last asked to log in to an account, oldest first, and until when it is refused (NIM-8).
struct LoginPace: Hashable, Sendable, Codable {
    var times: [Instant] = []
    var refusedUntil: Instant?
}

/// Who asks to log in, as far as the limit of logins is concerned; a call from outside a login has no device.
struct LoginPaceKey: Hashable, Sendable, Codable {
    var user: String
    var device: String
    /// The address that wrong credentials came from. Nil for logins with a right one, and where it is not known.
    var origin: UInt32?
}

struct DeviceLogin: Hashable, Sendable, Codable {
    var epoch: LoginEpoch
    /// The connection that carries it now; nil while the device is away.
    var connection: ConnectionID?
    /// Whether other users see the device as online; it may outlast the connection (RTM-4).
    var isPresent: Bool
    /// When it was made; the earliest is ended first where there are too many.
    var since: Instant
    /// When its token expires, in milliseconds since 1970; 0 when it does not.
    var expiresAtMilliseconds: Int64 = 0
    /// The channels that it is in, in the order of joining; nil for none, as in what older versions kept.
    private var joined: [String]?

    init(epoch: LoginEpoch, connection: ConnectionID?, isPresent: Bool, since: Instant) {
        self.epoch = epoch
        self.connection = connection
        self.isPresent = isPresent
        self.since = since
    }

    /// The channels are the login's, and outlast its connection (RTM-4).
    var channels: [String] {
        get { joined ?? [] }
        set { joined = newValue.isEmpty ? nil : newValue }
    }
}

/// A connection as the server knows it.
struct Connection: Hashable, Sendable, Codable {
    enum Stage: Hashable, Sendable, Codable {
        /// Nobody has logged in yet.
        case fresh
        case loggedIn(user: String, device: String)
        /// Its login was ended, by a kick or a logout; it may only confirm that it knows.
        case ended(user: String, device: String)
    }

    var stage: Stage = .fresh
    /// Who is logged in over it.
    var user: String? {
        guard case .loggedIn(let user, _) = stage else { return nil }
        return user
    }
    /// When something last came over it.
    var lastHeard: Instant
    /// Changes of the tree that it asked for since ``treeWritesSince``.
    var treeWrites = 0
    var treeWritesSince = Instant.zero

    /// The pages so far of a request about the tree that takes several frames.
    var treePages: Frame?

    /// The request number of the last request about the tree that changes anything: what was asked before it and comes
    /// after it is void (C-3), or a listen would outlive its own end. The client has no answer, and asks anew.
    var treeRequest: UInt32?

    /// Messages wait for the device's sync, and what comes meanwhile waits behind them; nil where none does.
    var holdsMessages: Bool?

    /// The users whose presence it watches, in the order of asking (ZIM-5).
    var watching: OrderedSet<String> = []
    /// The channels of which it has been given the members and what was missed, or nothing was (RTM-8); nil for none.
    var replayed: OrderedSet<String>?
    /// It has broken, and the server learns that only from its silence (SYNC-9); nil where it has not.
    var isBroken: Bool?
    /// The parts of a settlement that have come so far.
    var settling: PartialSettlement?
    /// The request number of the last settlement: what was asked before it and comes after it is void (C-3).
    var settled: UInt32?
    /// The same for the user's attributes, which not every settlement is about, and which are set by themselves, too.
    var settledAttributes: UInt32?
    /// The request number of the last change of what settlements are about: a change or a settlement that was asked for
    /// before it and comes after it says what was.
    var changed: UInt32?
    /// The request number of the last renewal that was taken: one that was asked for before it and comes after it is void
    /// (P11).
    var renewed: UInt32?
    /// What has been said over it, and heard, without being asked (C-15).
    var said = Tally()
    var heard = Tally()
    /// Whether a sync was asked for over it: what one brings is brought again if it got lost.
    var hasSynced = false

    mutating func noteReplayed(_ channel: String) {
        replayed = replayed ?? []
        replayed?.append(channel)
    }

    /// Whether a request about the tree is not void by now, which the next one is looked at by.
    mutating func takesTree(_ request: TreeRequest, _ frame: Frame) -> Bool {
        if case .get = request { return true }
        guard !frame.isOlder(than: treeRequest) else { return false }
        // One that the network doubled would be judged by what it did itself, and its answer taken for the first one's.
        if case .transaction = request, frame.page == 0, frame.request != 0, frame.request == treeRequest {
            return false
        }
        if frame.request != 0 { treeRequest = frame.request }
        return true
    }

    /// Whether the connection may ask for one more change of the tree now, which counts.
    mutating func mayWrite(at now: Instant, _ policy: ServerPolicy) -> Bool {
        guard policy.treeWritesMax > 0 else { return true }
        if now - treeWritesSince >= policy.treeWritesWindow { (treeWrites, treeWritesSince) = (0, now) }
        guard treeWrites < policy.treeWritesMax else { return false }
        treeWrites += 1
        return true
    }
}

/// A settlement of which more is to come.
struct PartialSettlement: Hashable, Sendable, Codable {
    var request: UInt32
    var pages: UInt32
    var settlement: Settlement
}

/// The timers of a server; those that fall due together fire in this order.
package enum ServerTimer: Hashable, Comparable, Sendable, Codable {
    /// Looks whether the connection has been silent for too long.
    case silence(ConnectionID)
    /// Ends a connection on which nobody logged in, or that does not confirm its kick.
    case overdue(ConnectionID)
    /// The end of the time for which a user whose connection broke counts as online (RTM-4).
    case presence(user: String, device: String)
    /// The end of the life of the token that a login was made with.
    case token(user: String, device: String)
    /// Looks whether what the device was handed is still not confirmed (CHAT-8).
    case push(user: String, device: String)
}

/// A channel and what a member who was away may get of it afterwards.
struct Channel: Hashable, Sendable, Codable {
    /// In the order in which they joined, each with the devices that it is there with.
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
