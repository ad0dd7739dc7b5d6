import IMLocalData
import OrderedCollections
import SansIO

// The data that a server's host keeps on disk and restores in the next process: accounts with their bans, devices,
// undelivered kicks and stored messages, and the tree. Connections, timers and instants end with the process. Channels
// keep their members if users count as online for a while after a break (RTM-4).

/// An account as it outlives the server's process.
public struct KeptAccount: Hashable, Sendable, Codable {
    let account: Account
    /// The user's position in the joining order of each group with more than one member: the longest-standing member
    /// becomes the owner when the owner leaves. Every join and leave changes the accounts of all members, so these
    /// numbers are consistent. Nil for none; an older version stored none.
    let groupPlaces: OrderedDictionary<String, Int>?

    private enum Key: String, CodingKey {
        case groupPlaces
    }

    init(_ account: Account, groupPlaces: OrderedDictionary<String, Int>) {
        self.account = account
        self.groupPlaces = groupPlaces.isEmpty ? nil : groupPlaces
    }

    /// Reads an account; parts that an older version did not store are empty.
    public init(from decoder: any Decoder) throws {
        account = try Account(from: decoder)
        let places = try decoder.container(keyedBy: Key.self)
        groupPlaces = try places.decodeIfPresent(OrderedDictionary.self, forKey: .groupPlaces)
    }

    /// Writes the account for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var places = encoder.container(keyedBy: Key.self)
        try places.encodeIfPresent(groupPlaces, forKey: .groupPlaces)
    }
}

/// The rest of a removed account, as it outlives the server's process.
public struct KeptRemoval: Hashable, Sendable, Codable {
    let removed: RemovedAccount

    init(_ removed: RemovedAccount) { self.removed = removed }

    /// Reads a removal.
    public init(from decoder: any Decoder) throws { removed = try RemovedAccount(from: decoder) }

    /// Writes the removal for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws { try removed.encode(to: encoder) }
}

/// The tree as it outlives the server's process.
public struct KeptTree: Hashable, Sendable, Codable {
    var tree: ServerTree

    init(_ tree: ServerTree) { self.tree = tree }

    /// A snapshot of the tree, for a later comparison.
    public var mark: TreeSnapshot { TreeSnapshot(tree: tree) }

    /// Applies later changes.
    public mutating func apply(_ changes: [KeptTreeChange]) {
        for change in changes { tree.apply(change) }
    }

    /// Reads the tree.
    public init(from decoder: any Decoder) throws { tree = try ServerTree(from: decoder) }

    /// Writes the tree for ``init(from:)``.
    public func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }
}

/// A snapshot for checking whether the tree has changed; quick to compare if it has not.
public struct TreeSnapshot: Equatable, Sendable {
    let tree: ServerTree
}

extension ServerMachine {
    /// The number of accounts and connections, for hosts to which its size is a cost.
    public var size: Int { accounts.count + connections.count }

    /// The users whose accounts the last input may have changed, created or removed, each once.
    public var touchedUsers: [String] { Array(OrderedSet(accounts.touched)) }

    /// The stored form of an account; nil if there is none.
    public func keptAccount(of user: String) -> KeptAccount? {
        accounts[user].map { account in
            KeptAccount(account.afterProcess(holds: holdsPresence), groupPlaces: groups.places(of: user))
        }
    }

    /// The stored form of a removed account; nil if it was not removed, or exists again.
    public func keptRemoval(of user: String) -> KeptRemoval? { removedUsers[user].map(KeptRemoval.init) }

    /// A snapshot of the tree, for a later comparison.
    public var treeSnapshot: TreeSnapshot { TreeSnapshot(tree: tree) }

    /// The stored form of the tree. The end of the process ends every connection; the next process runs their
    /// onDisconnect operations (SYNC-6).
    public var keptTree: KeptTree { KeptTree(tree.withoutListens) }

    /// The change of the tree since a snapshot; nil if the whole tree must be stored.
    public func keptTreeChange(since mark: TreeSnapshot) -> KeptTreeChange? { tree.change(since: mark.tree) }

    /// Restores the accounts of the last process into a server that has not started yet, in the order of creation.
    public mutating func restore(_ all: [(user: String, kept: KeptAccount)]) {
        var places: [String: OrderedDictionary<String, Int>] = [:]
        for (user, kept) in all {
            restore(kept.account, of: user)
            places[user] = kept.groupPlaces
        }
        groups.order { group, user in places[user]?[group] }
        restoreChannels()
        holdPresence(at: .zero)
        accounts.clearTouched()
    }

    private mutating func restore(_ kept: Account, of user: String) {
        accounts[user] = atStart(kept.afterProcess(holds: holdsPresence), at: .zero)
        // A group whose record was changed last comes after its members.
        let changes = kept.feed.changes
        for record in changes.filter({ $0.kind == .group }) + changes.filter({ $0.kind != .group }) {
            if let change = LocalChange(record) { note(change) }
        }
    }

    /// Restores a removed account of the last process into a server that has not started yet; the oldest removal first.
    public mutating func restore(_ kept: KeptRemoval, of user: String) { removedUsers[user] = kept.removed }

    /// Restores the tree of the last process into a server that has not started yet.
    public mutating func restore(_ kept: KeptTree) {
        tree = kept.tree.withoutConnections(at: Double(epochMilliseconds))
    }

    /// The account at the start of a process: devices that were connected are away from now on, and lose their slots if
    /// offline devices hold none (CHAT-3).
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

    /// True if a user counts as online for a while after the connection broke (RTM-4).
    var holdsPresence: Bool { policy.presenceHold > .zero }

    /// Starts the time for which the users of the last process count as online. They reconnect one after the other, and
    /// nobody is notified of a user who returns in time: the end of the server's process is a break like any other
    /// (RTM-4). A user who was connected then has the whole time from now on; a user who was already away has the rest
    /// of it.
    public mutating func holdPresence(at now: Instant) {
        guard holdsPresence else { return }
        let clock = wallClock(at: now)
        // The timers follow the order of the accounts: timers with equal instants would follow the names, which a
        // redaction changes.
        var position: Int64 = 0
        for user in accounts.keys {
            for (id, record) in accounts[user]?.devices ?? [:] where record.isHeld {
                let away = record.goneSinceMilliseconds.map { max(0, clock - $0) } ?? 0
                accounts[user]?.devices[id]?.goneSinceMilliseconds = clock - away
                let rest = policy.presenceHold - .milliseconds(away)
                timers.set(
                    .presence(user: user, device: id),
                    at: now + max(.zero, rest) + Interval(nanoseconds: position * 1000))
                position += 1
            }
        }
    }

    /// Creates the channels of the last process's logins. Their messages and attributes ended with that process.
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
    /// True if its user counts as online without a connection.
    fileprivate var isHeld: Bool { login?.isPresent == true && login?.connection == nil }
}

extension Account {
    /// The account after every connection has ended without a goodbye.
    ///
    /// - Parameter holds: true if users count as online for a while after that.
    func withoutConnections(holds: Bool) -> Account {
        var account = self
        // Attributes exist as long as the user is online (RTM-4).
        if !holds { account.attributes.removeAll() }
        for device in devices.keys {
            account.devices[device]?.login?.connection = nil
            guard !holds else { continue }
            account.devices[device]?.login?.isPresent = false
            account.devices[device]?.login?.channels.removeAll()
        }
        return account
    }

    /// The account as another process finds it, whose instants start again.
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
