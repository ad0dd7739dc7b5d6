import IMLocalData
import OrderedCollections
import SansIO

// The data that a server's host stores on disk and restores when the server starts again: the tree, and the accounts
// with their bans, devices, undelivered kicks and messages. Connections, timers and instants are not stored. Channels
// keep their members if the policy has a presence hold (RTM-4).

/// The stored form of an account.
public struct KeptAccount: Hashable, Sendable, Codable {
    let account: Account
    /// The position of the user in the joining order of each group with other members. It is stored because the member
    /// who joined first becomes the owner when the owner leaves. Each join and leave changes the accounts of all
    /// members, so the stored positions of the members agree. Nil without such a group, and in older data.
    let groupPlaces: OrderedDictionary<String, Int>?

    private enum Key: String, CodingKey {
        case groupPlaces
    }

    init(_ account: Account, groupPlaces: OrderedDictionary<String, Int>) {
        self.account = account
        self.groupPlaces = groupPlaces.isEmpty ? nil : groupPlaces
    }

    /// Reads an account. Parts that an older version did not store are empty.
    public init(from decoder: any Decoder) throws {
        account = try Account(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        groupPlaces = try container.decodeIfPresent(OrderedDictionary.self, forKey: .groupPlaces)
    }

    /// Writes the account for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(groupPlaces, forKey: .groupPlaces)
    }
}

/// The stored form of what remains of a removed account.
public struct KeptRemoval: Hashable, Sendable, Codable {
    let removed: RemovedAccount

    init(_ removed: RemovedAccount) { self.removed = removed }

    /// Reads a removal.
    public init(from decoder: any Decoder) throws { removed = try RemovedAccount(from: decoder) }

    /// Writes the removal for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws { try removed.encode(to: encoder) }
}

/// The stored form of the tree.
public struct KeptTree: Hashable, Sendable, Codable {
    var tree: ServerTree

    init(_ tree: ServerTree) { self.tree = tree }

    /// A snapshot of the tree, for a later comparison.
    public var mark: TreeSnapshot { TreeSnapshot(tree: tree) }

    /// Applies changes that were stored after the tree.
    public mutating func apply(_ changes: [KeptTreeChange]) {
        for change in changes { tree.apply(change) }
    }

    /// Reads the tree.
    public init(from decoder: any Decoder) throws { tree = try ServerTree(from: decoder) }

    /// Writes the tree for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }
}

/// A state of the tree, for a comparison with later states. The comparison is fast if the tree has not changed.
public struct TreeSnapshot: Equatable, Sendable {
    let tree: ServerTree
}

extension ServerMachine {
    /// The number of accounts and connections. Hosts use it where the cost of an action depends on this size.
    public var size: Int { accounts.count + connections.count }

    /// The users whose accounts the last input may have changed, created or removed. Each user occurs once.
    public var touchedUsers: [String] { Array(OrderedSet(accounts.touched)) }

    /// The stored form of an account; nil if there is none.
    public func keptAccount(of user: String) -> KeptAccount? {
        accounts[user].map { account in
            KeptAccount(account.afterProcess(holds: holdsPresence), groupPlaces: groups.positions(of: user))
        }
    }

    /// The stored form of a removed account; nil if no account with this name was removed, or if a new one exists.
    public func keptRemoval(of user: String) -> KeptRemoval? { removedUsers[user].map(KeptRemoval.init) }

    /// A snapshot of the tree, for a later comparison.
    public var treeSnapshot: TreeSnapshot { TreeSnapshot(tree: tree) }

    /// The stored form of the tree. It contains no listeners, because they end with their connections. It contains the
    /// onDisconnect operations, because the next process runs them (SYNC-6).
    public var keptTree: KeptTree { KeptTree(tree.withoutListens) }

    /// The change of the tree since a snapshot; nil if the whole tree must be stored.
    public func keptTreeChange(since snapshot: TreeSnapshot) -> KeptTreeChange? {
        tree.change(since: snapshot.tree)
    }

    /// Restores the stored accounts into a server that has not started yet. They must be in the order of creation.
    public mutating func restore(_ all: [(user: String, kept: KeptAccount)]) {
        var positions: [String: OrderedDictionary<String, Int>] = [:]
        for (user, kept) in all {
            restore(kept.account, of: user)
            positions[user] = kept.groupPlaces
        }
        groups.sortMembers { group, user in positions[user]?[group] }
        restoreChannels()
        holdPresence(at: .zero)
        accounts.clearTouched()
    }

    private mutating func restore(_ kept: Account, of user: String) {
        accounts[user] = atStart(kept.afterProcess(holds: holdsPresence), at: .zero)
        // A group must exist before its members are added, but a renamed group has a later record than its members.
        let changes = kept.feed.changes
        for record in changes.filter({ $0.kind == .group }) + changes.filter({ $0.kind != .group }) {
            if let change = LocalChange(record) { note(change) }
        }
    }

    /// Restores a removed account into a server that has not started yet. The caller restores the oldest removal first.
    public mutating func restore(_ kept: KeptRemoval, of user: String) { removedUsers[user] = kept.removed }

    /// Restores the stored tree into a server that has not started yet.
    public mutating func restore(_ kept: KeptTree) {
        tree = kept.tree.withoutConnections(at: Double(epochMilliseconds))
    }

    /// The account at the start of a process. A device that was connected to the last process counts as disconnected
    /// from now on. If the policy gives no slots to offline devices, it also loses its slot (CHAT-3).
    func atStart(_ account: Account, at now: Instant) -> Account {
        var account = account
        for device in account.devices.keys where account.devices[device]?.isHeld != true {
            if account.devices[device]?.goneSinceMilliseconds == nil {
                account.devices[device]?.goneSinceMilliseconds = wallClock(at: now)
                account.devices[device]?.pushUnconfirmed()
            }
            if policy.offlineFreesPlace { account.devices[device]?.release() }
        }
        return account
    }

    /// True if the policy has a presence hold: a user counts as online for some time after a break (RTM-4).
    var holdsPresence: Bool { policy.presenceHold > .zero }

    /// Starts the presence holds of the restored users after the start of a process. The end of the last process broke
    /// their connections, and a broken connection is reported only if the hold expires (RTM-4). A user who was
    /// connected at that time gets the whole hold from now on. For a user whose connection broke earlier, the rest of
    /// the hold remains.
    public mutating func holdPresence(at now: Instant) {
        guard holdsPresence else { return }
        let clock = wallClock(at: now)
        // Each timer gets a slightly later instant, so that the timers fire in the order of the accounts. With equal
        // instants they would fire in the order of the names, which a redaction changes.
        var position: Int64 = 0
        for user in accounts.keys {
            for (id, record) in accounts[user]?.devices ?? [:] where record.isHeld {
                let elapsed = record.goneSinceMilliseconds.map { max(0, clock - $0) } ?? 0
                accounts[user]?.devices[id]?.goneSinceMilliseconds = clock - elapsed
                let rest = policy.presenceHold - .milliseconds(elapsed)
                timers.set(
                    .presence(user: user, device: id),
                    at: now + max(.zero, rest) + Interval(nanoseconds: position * 1000))
                position += 1
            }
        }
    }

    /// Creates the channels that the restored logins are in. Messages and attributes of channels are not stored.
    mutating func restoreChannels() {
        for user in accounts.keys {
            for (id, record) in accounts[user]?.devices ?? [:] {
                for name in record.login?.channels ?? [] {
                    var channel = channels[name] ?? Channel()
                    channel.members[user, default: []].append(id)
                    channels[name] = channel
                }
            }
        }
    }
}

extension DeviceRecord {
    /// True if the user counts as online although the device has no connection: the presence hold is running.
    fileprivate var isHeld: Bool { login?.isPresent == true && login?.connection == nil }
}

extension Account {
    /// The account after all connections broke.
    ///
    /// - Parameter holds: true if the policy has a presence hold, so that the users still count as online.
    func withoutConnections(holds: Bool) -> Account {
        var account = self
        // Without a hold, the user is offline, and an offline user has no attributes (RTM-4).
        if !holds { account.attributes.removeAll() }
        for device in devices.keys {
            account.devices[device]?.login?.connection = nil
            guard !holds else { continue }
            account.devices[device]?.login?.isPresent = false
            account.devices[device]?.login?.channels.removeAll()
        }
        return account
    }

    /// The account as the next process starts with it: no connections, and instants set to zero, because they are
    /// relative to the start of a process.
    fileprivate func afterProcess(holds: Bool) -> Account {
        var account = withoutConnections(holds: holds)
        for device in devices.keys {
            account.devices[device]?.login?.since = .zero
            for channel in account.devices[device]?.channelsSince?.keys ?? [] {
                account.devices[device]?.channelsSince?[channel] = .zero
            }
        }
        return account
    }
}
