import IMClient
import IMLocalData
import IMTree
import OrderedCollections

/// A store in memory, for a simulated world. It cannot fail.
///
/// Confined to the world's thread.
public final class MemoryClientStore: ClientStore {
    private struct Client: Hashable {
        var profile: String
        var name: String
    }

    private struct ItemName: Hashable {
        var user: String
        var kind: LocalItem.Kind
        var id: String
    }

    private struct StoredClient {
        var device: String?
        /// Nil for a client that never logged in.
        var data: LocalData?
        var items: OrderedDictionary<ItemName, LocalItem> = [:]
        /// The local data of each user.
        var databases: OrderedDictionary<String, MemoryUserData> = [:]
        var tree: MemoryTreeStore?
    }

    private struct Export {
        var user: String
        var messages: [LocalMessage]
    }

    private var clients: OrderedDictionary<Client, StoredClient> = [:]
    /// The exports by the names of their folders.
    private var exports: OrderedDictionary<String, Export> = [:]

    /// Creates an empty store.
    public init() {}

    /// A copy that shares no data with this store.
    func copy() -> MemoryClientStore {
        let copy = MemoryClientStore()
        copy.clients = clients
        copy.exports = exports
        for client in clients.keys {
            copy.clients[client]?.tree = clients[client]?.tree.map { MemoryTreeStore($0.storage) }
            for (user, database) in clients[client]?.databases ?? [:] {
                copy.clients[client]?.databases[user] = MemoryUserData(database.value)
            }
        }
        return copy
    }

    /// The stored device id, or else the proposed one, which is then stored.
    public func installation(profile: String, client: String, proposed: String) -> String {
        let client = Client(profile: profile, name: client)
        if let device = clients[client]?.device { return device }
        clients[client, default: StoredClient()].device = proposed
        return proposed
    }

    /// The stored data of the client, with all of its items; empty for one that never logged in.
    public func load(profile: String, client: String) -> LocalData {
        guard let stored = clients[Client(profile: profile, name: client)], var data = stored.data else {
            return LocalData()
        }
        data.items = Array(stored.items.values)
        return data
    }

    /// Stores the outcome of a login and ignores its items.
    public func save(_ data: LocalData, profile: String, client: String) {
        clients[Client(profile: profile, name: client), default: StoredClient()].data = data
    }

    /// The data of a user, at first empty.
    public func data(of user: String, profile: String, client: String) -> any UserDataStore {
        let client = Client(profile: profile, name: client)
        if let known = clients[client]?.databases[user] { return known }
        let new = MemoryUserData(UserDatabase(owner: user))
        clients[client, default: StoredClient()].databases[user] = new
        return new
    }

    /// The tree data that a device stores, at first empty.
    public func tree(profile: String, client: String) -> any TreeStore {
        memoryTree(profile: profile, client: client)
    }

    func memoryTree(profile: String, client: String) -> MemoryTreeStore {
        let client = Client(profile: profile, name: client)
        if let known = clients[client]?.tree { return known }
        let new = MemoryTreeStore()
        clients[client, default: StoredClient()].tree = new
        return new
    }

    /// Keeps the export in memory, under the name of the folder: a simulated world touches no disk.
    public func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) {
        exports[folder] = Export(user: user, messages: messages)
    }

    /// The export in the folder of that name.
    public func readExport(_ folder: String, for user: String) throws -> [LocalMessage] {
        guard let export = exports[folder] else { throw WorldError("'\(folder)' is not an export of messages") }
        guard export.user == user else { throw WorldError("the export '\(folder)' belongs to another user") }
        return export.messages
    }

    /// Does nothing: the store has nothing to close.
    public func closeData(profile: String, client: String) {}

    /// Stores each item once; above ``ClientMachine/itemCountMax`` the oldest are removed.
    public func keep(_ items: [LocalItem], profile: String, client: String) {
        let client = Client(profile: profile, name: client)
        var names = clients[client]?.items ?? [:]
        // Removes the second reference to the dictionary. Otherwise the first change of `names` would copy it.
        clients[client]?.items = [:]
        for item in items {
            let name = ItemName(user: item.user, kind: item.kind, id: item.id)
            if names[name] == nil { names[name] = item }
        }
        names.removeFirst(max(0, names.count - ClientMachine.itemCountMax))
        clients[client, default: StoredClient()].items = names
    }
}

/// The tree data that a device stores, in memory. It cannot fail.
///
/// Confined to the world's thread.
final class MemoryTreeStore: TreeStore {
    var storage: TreeStorage

    init(_ storage: TreeStorage = TreeStorage()) { self.storage = storage }

    var loss: String? { nil }

    func contents() -> TreeStorage.Contents { storage.contents }

    func apply(_ changes: [TreeStorage.Change]) { for change in changes { storage.apply(change) } }

    func storedData(of queries: [UInt64]) -> [TreeStorage.Held] { storage.storedData(of: queries) }
}
