import IMData
import OrderedCollections
import SansIO

// What a server's host keeps on disk, and gives back to the server's next process: accounts with their bans, devices,
// undelivered kicks and stored messages, and the tree. Connections, channels and timers end with the process, and so do
// its instants.

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
    let tree: ServerTree

    init(_ tree: ServerTree) { self.tree = tree }

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
        accounts[user].map { KeptAccount($0.afterProcess, groupPlaces: groups.places(of: user)) }
    }

    /// What to keep of a removed account; nil for one that was not removed, or is there again.
    public func keptRemoval(of user: String) -> KeptRemoval? { removedUsers[user].map(KeptRemoval.init) }

    /// The tree as it is now, for comparing it with what it is later.
    public var treeMark: TreeMark { TreeMark(tree: tree) }

    /// What to keep of the tree. The end of the process is the end of every connection; what is to be done then, the next
    /// process does (SYNC-6).
    public var keptTree: KeptTree { KeptTree(tree.withoutListens) }

    /// Gives a server that has not begun yet the accounts of its last process, in the order in which they were made.
    public mutating func restore(_ all: [(user: String, kept: KeptAccount)]) {
        var places: [String: OrderedDictionary<String, Int>] = [:]
        for (user, kept) in all {
            restore(kept.account, of: user)
            places[user] = kept.groupPlaces
        }
        groups.order { group, user in places[user]?[group] }
        accounts.forgetTouched()
    }

    private mutating func restore(_ kept: Account, of user: String) {
        accounts[user] = atStart(kept.afterProcess, at: .zero)
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
        for device in account.devices.keys where account.devices[device]?.goneSinceMilliseconds == nil {
            account.devices[device]?.goneSinceMilliseconds = wallClock(at: now)
            account.devices[device]?.pushUnconfirmed()
        }
        guard policy.offlineFreesPlace else { return account }
        for device in account.devices.keys { account.devices[device]?.release() }
        return account
    }
}

extension Account {
    /// The account when every connection has ended without a word.
    var withoutConnections: Account {
        var account = self
        // Attributes are there as long as the user is (RTM-4).
        account.attributes.removeAll()
        for device in devices.keys {
            account.devices[device]?.login?.connection = nil
            account.devices[device]?.login?.isPresent = false
            account.devices[device]?.login?.channels.removeAll()
        }
        return account
    }

    /// The account as another process finds it, whose instants begin anew.
    fileprivate var afterProcess: Account {
        var account = withoutConnections
        for device in devices.keys {
            account.devices[device]?.login?.since = .zero
            for channel in account.devices[device]?.channelsSince?.keys ?? [] {
                account.devices[device]?.channelsSince?[channel] = .zero
            }
        }
        return account
    }
}
