import IMProtocol
import OrderedCollections
import SansIO

/// An account, with all its data that is independent of connections.
struct Account: Hashable, Sendable, Codable {
    var isBanned = false
    /// The epoch of the latest new login (C-6).
    var epoch: LoginEpoch = 0
    /// The devices that have logged in, by id, in the order of their first login.
    var devices: OrderedDictionary<String, DeviceRecord> = [:]
    /// The latest login of each exclusion group (NIM-4).
    var lastLogins: [LastLogin] = []
    /// The messages for a user who has no device yet, oldest first. The first device receives them.
    var inbox = Inbox()
    /// The user's attributes, while the user is online (RTM-4).
    var attributes: [AnswerField] = []
    /// The items that an operator created for the sync (NIM-14), by phase.
    var syncItems: OrderedDictionary<SyncPhase, [SyncItem]> = [:]
    /// The changes of the user's data, for the user's devices (ZIM-9).
    var feed = ChangeFeed()
    // The properties below are optional, because older versions did not store them.
    /// The status with which the operator makes the server refuse all requests of the account; nil for none.
    var refusal: Status?
    /// Credentials that were made before this time are invalid, in milliseconds since 1970. At this time the password
    /// was changed, the tokens were revoked, or an earlier account with the same name was removed.
    var credentialsSinceMilliseconds: Int64?
    /// Logins with this epoch or a lower one belong to a removed account with the same name (C-7).
    var removedThrough: LoginEpoch?
    /// A change of the password ended the logins with this epoch or a lower one (CHAT-10).
    var passwordChangedThrough: LoginEpoch?
}

/// The data of a removed account that is still needed. Its devices must be notified (C-7). The next account with the
/// name continues after its last epoch, so that a login of the removed account never counts as one of the new account.
struct RemovedAccount: Hashable, Sendable, Codable {
    var lastEpoch: LoginEpoch
    /// The time of the removal, in milliseconds since 1970. Credentials that were made before this time are invalid.
    var atMilliseconds: Int64

    /// The new account if one with the same name is created.
    var successor: Account {
        var account = Account()
        account.epoch = lastEpoch
        account.removedThrough = lastEpoch
        account.credentialsSinceMilliseconds = atMilliseconds
        return account
    }
}

/// The latest login in an exclusion group: its device and its epoch.
struct LastLogin: Hashable, Sendable, Codable {
    var group: DeviceGroup?
    var device: String
    var epoch: LoginEpoch
}

/// The server's record of a device.
struct DeviceRecord: Hashable, Sendable, Codable {
    var device: Device
    /// The device's login, with or without a connection; nil after a logout or a kick.
    var login: DeviceLogin?
    /// A kick that the device has not confirmed (C-7).
    var undeliveredKick: KickNotice?
    /// True if the server pushes messages to the device while it is disconnected. A logout unbinds push (NIM-10).
    var isPushBound = false
    /// The number of pushes since the device was last connected (CHAT-8).
    var pushCount = 0
    /// The epoch of the login that lost its slot because the device was offline; nil for none (CHAT-3).
    var releasedEpoch: LoginEpoch?
    /// The epoch of the login that a logout ended, whose answer may have been lost; nil for none (CHAT-11).
    var loggedOutEpoch: LoginEpoch?
    /// The messages that the device has not confirmed, oldest first.
    var inbox = Inbox()
    /// The ids of messages and operations received from the device, so that a repeated message is stored once (C-14).
    var taken = TakenIDs()
    /// The sync items that the device has (NIM-14).
    var pulled = PulledItems()
    /// The numbers of the messages and operations for the device, by which the device confirms them.
    var numbering = Numbering()
    /// The operations of the user's other devices that this device has not confirmed, oldest first (CHAT-8).
    var operations: [DeviceOperation] = []
    /// The epoch of the login that ended because its token expired. If the device was disconnected at that time and had
    /// a new token, it continues this login when it reconnects and its slot is free (ZIM-6). Optional, like the
    /// properties below, because older versions did not store it.
    var expiredEpoch: LoginEpoch?
    /// The epoch of the device's latest login. If a device must be dropped, the lowest epoch is preferred.
    var lastEpoch: LoginEpoch?
    /// The time at which the device joined each channel, for the channels of its login or of the login that lost its
    /// slot (RTM-8). Nil for none.
    var channelsSince: OrderedDictionary<String, Instant>?
    /// The time at which the device's last connection ended, in milliseconds since 1970; nil while it is connected.
    var goneSinceMilliseconds: Int64?
    /// The number of messages and operations that were dropped because the inbox was full and the device was
    /// disconnected too long; nil for none.
    var lostCount: Int?
    /// All unconfirmed messages and operations with this number or a lower one have been pushed; nil for none.
    var pushedThrough: UInt64?
    /// The app instance that logged in last on this device (RTM-6); nil if unknown.
    var lastInstance: UInt64?

    /// True if the device is logged in by its own state: it has a login, or lost its slot by being disconnected.
    var hasLogin: Bool { login != nil || releasedEpoch != nil }

    /// Adds a message to the inbox. If the inbox is full, its oldest messages are dropped. That happens only to a
    /// device that was disconnected too long, or for a message that is not refused, such as one to a group.
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

    /// Records that the latest message or operation was pushed.
    mutating func notePush() {
        pushCount &+= 1
        pushedThrough = numbering.last
    }

    /// Pushes all unconfirmed messages and operations, because the connection has ended or the device confirms none
    /// (CHAT-8). Those that were already pushed are not pushed again.
    mutating func pushUnconfirmed() {
        guard isPushBound else { return }
        let pushed = pushedThrough ?? 0
        let messages = inbox.messages.count { $0.number > pushed }
        let count = messages + operations.count { $0.number > pushed }
        guard count > 0 else { return }
        pushCount &+= count
        pushedThrough = numbering.last
    }

    /// Gives numbers to the waiting messages and operations without one: older versions did not number them.
    mutating func numberAll(clock: Int64) {
        inbox.number { numbering.next(clock: clock) }
        for index in operations.indices where operations[index].number == 0 {
            operations[index].number = numbering.next(clock: clock)
        }
    }

    /// Ends the login of a device that counts as offline and therefore loses its slot (CHAT-3). The epoch is stored, so
    /// that the device can continue the login later.
    mutating func release() {
        guard let login else { return }
        releasedEpoch = login.epoch
        self.login = nil
    }
}

/// The times of the recent login requests with one key, oldest first, and the end of the penalty (NIM-8).
struct LoginPace: Hashable, Sendable, Codable {
    var times: [Instant] = []
    var refusedUntil: Instant?
}

/// The key of the login rate limiter. The device is empty for an admin call, which needs no login.
struct LoginPaceKey: Hashable, Sendable, Codable {
    var user: String
    var device: String
    /// The address that wrong credentials came from. Nil for correct credentials, and for unknown addresses.
    var origin: UInt32?
}

/// The login of a device.
struct DeviceLogin: Hashable, Sendable, Codable {
    var epoch: LoginEpoch
    /// The connection of the login; nil while the device is disconnected.
    var connection: ConnectionID?
    /// True if other users see the device as online, which a presence hold extends after a broken connection (RTM-4).
    var isPresent: Bool
    /// The time of the login. A resume keeps the time of the login that it continues.
    var since: Instant
    /// The time at which the token expires, in milliseconds since 1970; 0 if the token does not expire.
    var expiresAtMilliseconds: Int64 = 0
    /// The stored form of `channels`: nil instead of an empty list, because older versions did not store it.
    private var joined: [String]?

    init(epoch: LoginEpoch, connection: ConnectionID?, isPresent: Bool, since: Instant) {
        self.epoch = epoch
        self.connection = connection
        self.isPresent = isPresent
        self.since = since
    }

    /// The channels that the login is in, in the order of joining. They remain when the connection breaks (RTM-4).
    var channels: [String] {
        get { joined ?? [] }
        set { joined = newValue.isEmpty ? nil : newValue }
    }
}

/// The server's record of a connection.
struct Connection: Hashable, Sendable, Codable {
    enum Stage: Hashable, Sendable, Codable {
        /// No login has succeeded yet.
        case fresh
        case loggedIn(user: String, device: String)
        /// A kick, a logout or the expiry of the token has ended the login. The client may only confirm a kick.
        case ended(user: String, device: String)
    }

    var stage: Stage = .fresh
    /// The user who is logged in over the connection; nil before and after a login.
    var user: String? {
        guard case .loggedIn(let user, _) = stage else { return nil }
        return user
    }
    /// The instant of the last received frame.
    var lastReceived: Instant
    /// The number of changes of the tree that the client has requested since ``treeWritesSince``.
    var treeWrites = 0
    var treeWritesSince = Instant.zero

    /// The received pages of a tree request that consists of several frames; nil if none is incomplete.
    var treePages: Frame?

    /// The number of the latest tree request, except reads. If a request with a lower number arrives after it, the
    /// network delayed that request, and the server ignores it (C-3). Otherwise a delayed listen request would start a
    /// listen that the client has already ended. The client gets no answer, and sends the request again if needed.
    var treeRequest: UInt32?

    /// True if messages wait until the device requests the sync. New messages then wait, too. Nil if none waits.
    var holdsMessages: Bool?

    /// The users whose presence the connection watches, in the order of the requests (ZIM-5).
    var watching: OrderedSet<String> = []
    /// The channels whose list of members and missed messages were sent over the connection, or that the login joined
    /// over it (RTM-8). Nil for none.
    var replayed: OrderedSet<String>?
    /// True if the connection has broken, and the policy detects breaks only by silence (SYNC-9). Nil otherwise.
    var isBroken: Bool?
    /// The received pages of a reconciliation; nil if none is incomplete.
    var partialSnapshot: PartialSnapshot?
    /// The number of the latest reconciliation. If an older request arrives after it, that request has no effect (C-3).
    var reconciledRequest: UInt32?
    /// The number of the latest request that set the user's attributes, by itself or in a reconciliation. If an older
    /// one arrives after it, that request has no effect (C-3).
    var attributesRequest: UInt32?
    /// The number of the latest join, leave or watch. An older one or reconciliation that arrives later has no effect.
    var changeRequest: UInt32?
    /// The number of the latest accepted token renewal. An older renewal that arrives after it has no effect (P11).
    var renewalRequest: UInt32?
    /// The checksums of the frames, except answers, that were sent and received over the connection (C-15).
    var sentChecksum = FrameChecksum()
    var receivedChecksum = FrameChecksum()
    /// True if the client has requested a sync over the connection. If frames are lost, its items are sent again.
    var hasSynced = false

    mutating func noteReplayed(_ channel: String) {
        replayed = replayed ?? []
        replayed?.append(channel)
    }

    /// True if the server must handle a tree request: false if it is outdated or a duplicate. Stores the number of the
    /// request for later comparisons.
    mutating func accepts(_ request: TreeRequest, _ frame: Frame) -> Bool {
        if case .get = request { return true }
        guard !frame.isOlder(than: treeRequest) else { return false }
        // The network may duplicate a transaction. The duplicate would fail, because the first one changed the value.
        // The client would take that failure for the answer to the first one.
        if case .transaction = request, frame.page == 0, frame.request != 0, frame.request == treeRequest {
            return false
        }
        if frame.request != 0 { treeRequest = frame.request }
        return true
    }

    /// Counts a change of the tree that the client requests.
    ///
    /// - Returns: false if the client exceeds the limit of the policy.
    mutating func mayWrite(at now: Instant, _ policy: ServerPolicy) -> Bool {
        guard policy.treeWritesMax > 0 else { return true }
        if now - treeWritesSince >= policy.treeWritesWindow { (treeWrites, treeWritesSince) = (0, now) }
        guard treeWrites < policy.treeWritesMax else { return false }
        treeWrites += 1
        return true
    }
}

/// A reconciliation of which further pages are to arrive.
struct PartialSnapshot: Hashable, Sendable, Codable {
    var request: UInt32
    var pages: UInt32
    var settlement: SubscriptionSnapshot
}

/// The timers of a server. Timers with the same instant fire in the order of this declaration.
package enum ServerTimer: Hashable, Comparable, Sendable, Codable {
    /// Checks whether the client has been silent for too long.
    case silence(ConnectionID)
    /// Closes a connection that has no login, or that does not confirm the end of its login.
    case overdue(ConnectionID)
    /// Ends the presence hold: the user no longer counts as online (RTM-4).
    case presence(user: String, device: String)
    /// Ends a login because its token has expired.
    case token(user: String, device: String)
    /// Pushes the messages and operations that a connected device has not confirmed in time (CHAT-8).
    case push(user: String, device: String)
}

/// A channel, with its members and the messages that are replayed to disconnected members.
struct Channel: Hashable, Sendable, Codable {
    /// The users in the channel, in the order of joining, and for each user the devices that are in it.
    var members: OrderedDictionary<String, [String]> = [:]
    var attributes: [AnswerField] = []
    /// The latest messages of the channel, oldest first (RTM-8).
    var messages: [ChannelMessage] = []
    var numbering = Numbering()
}

struct ChannelMessage: Hashable, Sendable, Codable {
    var message: ChatMessage
    var sentAt: Instant
}
