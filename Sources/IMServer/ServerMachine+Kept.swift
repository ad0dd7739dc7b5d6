import IMLocalData
import OrderedCollections
import SansIO

// What a server's host keeps on disk, and gives back to the server's next process: accounts with their bans, devices,
// undelivered kicks and stored messages, and the tree. Connections and timers end with the process, and so do its
// instants; channels keep their members where users count as online for a while after a break (RTM-4).

/// An account as it outlives the server's process.
public struct KeptAccount: Hashable, Sendable, Codable {
    let account: Account
    /// The how-manieth to come the user was in each group of more than one: who was there first has it when its owner
    /// goes. Whoever comes or goes changes the accounts of all members, so that these numbers are of one moment. Nil for
    /// none; an older version kept none.
    let groupPlaces: OrderedDictionary<String, Int>?

    private enum Key: String, CodingKey {
        case groupPlaces
    }

    init(_ account: Account, groupPlaces: OrderedDictionary<String, Int>) {
        self.account = account
        self.groupPlaces = groupPlaces.isEmpty ? nil : groupPlaces
    }

    /// Reads an account; what an older version did not keep of it is empty.
    public init(from decoder: any Decoder) throws {
        account = try Account(from: decoder)
        let places = try decoder.container(keyedBy: Key.self)
        groupPlaces = try places.decodeIfPresent(OrderedDictionary.self, forKey: .groupPlaces)
    }

    /// Writes the account as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var places = encoder.container(keyedBy: Key.self)
        try places.encodeIfPresent(groupPlaces, forKey: .groupPlaces)
    }
}

/// What stays of an account that was removed, as it outlives the server's process.
public struct KeptRemoval: Hashable, Sendable, Codable {
    let removed: RemovedAccount

    init(_ removed: RemovedAccount) { self.removed = removed }

    /// Reads a removal.
    public init(from decoder: any Decoder) throws { removed = try RemovedAccount(from: decoder) }

    /// Writes the removal as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws { try removed.encode(to: encoder) }
}

/// The tree as it outlives the server's process.
public struct KeptTree: Hashable, Sendable, Codable {
    var tree: ServerTree

    init(_ tree: ServerTree) { self.tree = tree }

    /// The tree, for comparing it with what it is later.
    public var mark: TreeMark { TreeMark(tree: tree) }

    /// Makes changes that came later.
    public mutating func apply(_ changes: [KeptTreeChange]) {
        for change in changes { tree.apply(change) }
    }

    /// Reads the tree.
    public init(from decoder: any Decoder) throws { tree = try ServerTree(from: decoder) }

    /// Writes the tree as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }
}

/// Tells whether the tree has changed; quick to compare while it has not.
public struct TreeMark: Equatable, Sendable {
    let tree: ServerTree
}

extension ServerMachine {
    /// How many accounts and connections it has, for hosts to which its size is a cost.
    public var size: Int { accounts.count + connections.count }

    /// The users whose accounts the last input may have changed, made or taken away, each once.
    public var touchedUsers: [String] { Array(OrderedSet(accounts.touched)) }

    /// What to keep of an account; nil for one that is not there.
    public func keptAccount(of user: String) -> KeptAccount? {
        accounts[user].map { account in
            KeptAccount(account.afterProcess(holds: holdsPresence), groupPlaces: groups.places(of: user))
        }
    }

    /// What to keep of a removed account; nil for one that was not removed, or is there again.
    public func keptRemoval(of user: String) -> KeptRemoval? { removedUsers[user].map(KeptRemoval.init) }

    /// The tree as it is now, for comparing it with what it is later.
    public var treeMark: TreeMark { TreeMark(tree: tree) }

    /// What to keep of the tree. The end of the process is the end of every connection; what is to be done then, the next
    /// process does (SYNC-6).
    public var keptTree: KeptTree { KeptTree(tree.withoutListens) }

    /// What changed of the tree; nil where it has to be kept whole.
    public func keptTreeChange(since mark: TreeMark) -> KeptTreeChange? { tree.change(since: mark.tree) }

    /// Gives a server that has not begun yet the accounts of its last process, in the order in which they were made.
    public mutating func restore(_ all: [(user: String, kept: KeptAccount)]) {
        var places: [String: OrderedDictionary<String, Int>] = [:]
        for (user, kept) in all {
            restore(kept.account, of: user)
            places[user] = kept.groupPlaces
        }
        groups.order { group, user in places[user]?[group] }
        restoreChannels()
        holdPresence(at: .zero)
        accounts.forgetTouched()
    }

    private mutating func restore(_ kept: Account, of user: String) {
        accounts[user] = atStart(kept.afterProcess(holds: holdsPresence), at: .zero)
        // A group that was changed last stands behind its members.
        let changes = kept.feed.changes
        for record in changes.filter({ $0.kind == .group }) + changes.filter({ $0.kind != .group }) {
            if let change = LocalChange(record) { note(change) }
        }
    }

    /// Gives a server that has not begun yet what its last process knew of a removed account; the oldest removal first.
    public mutating func restore(_ kept: KeptRemoval, of user: String) { removedUsers[user] = kept.removed }

    /// Gives a server that has not begun yet the tree of its last process.
    public mutating func restore(_ kept: KeptTree) {
        tree = kept.tree.withoutConnections(at: Double(epochMilliseconds))
    }

    /// The account at the start of a process: whoever was there is away from now on, and where nobody holds a place who
    /// is not there, nobody does (CHAT-3).
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

    /// Whether a user whose connection broke counts as online for a while (RTM-4).
    var holdsPresence: Bool { policy.presenceHold > .zero }

    /// Begins the time for which the users of the last process count as online. They come back one after the other, and
    /// nobody is notified of one who comes back in time: the end of the server's process is a break like any other
    /// (RTM-4). Who was connected then has the whole time from now on; who was away already has the rest of it.
    public mutating func holdPresence(at now: Instant) {
        guard holdsPresence else { return }
        let clock = wallClock(at: now)
        // One after the other, in the order of the accounts: that of timers of one instant would follow the names, which
        // a redaction changes.
        var place: Int64 = 0
        for user in accounts.keys {
            for (id, record) in accounts[user]?.devices ?? [:] where record.isHeld {
                let away = record.goneSinceMilliseconds.map { max(0, clock - $0) } ?? 0
                accounts[user]?.devices[id]?.goneSinceMilliseconds = clock - away
                let rest = policy.presenceHold - .milliseconds(away)
                timers.set(
                    .presence(user: user, device: id), at: now + max(.zero, rest) + Interval(nanoseconds: place * 1000))
                place += 1
            }
        }
    }

    /// Makes the channels that the logins of the last process are in. What was said in them, and their attributes, ended
    /// with that process.
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
    /// Whether its user counts as online although it has no connection.
    fileprivate var isHeld: Bool { login?.isPresent == true && login?.connection == nil }
}

extension Account {
    /// The account when every connection has ended without a goodbye.
    ///
    /// - Parameter holds: whether users count as online for a while after that.
    func withoutConnections(holds: Bool) -> Account {
        var account = self
        // Attributes are there as long as the user is (RTM-4).
        if !holds { account.attributes.removeAll() }
        for device in devices.keys {
            account.devices[device]?.login?.connection = nil
            guard !holds else { continue }
            account.devices[device]?.login?.isPresent = false
            account.devices[device]?.login?.channels.removeAll()
        }
        return account
    }

    /// The account as another process finds it, whose instants begin again.
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
