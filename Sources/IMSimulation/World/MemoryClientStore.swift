import IMClient
import IMLocalData
import IMTree
import OrderedCollections

/// A store that lives as long as this value, which is what a simulated world needs. It cannot fail.
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

    private struct Kept {
        var device: String?
        /// Nil for one that never logged in.
        var data: LocalData?
        var items: OrderedDictionary<ItemName, LocalItem> = [:]
        /// By user.
        var databases: OrderedDictionary<String, MemoryUserData> = [:]
        var tree: MemoryTreeStore?
    }

    private struct Export {
        var user: String
        var messages: [LocalMessage]
    }

    private var kept: OrderedDictionary<Client, Kept> = [:]
    /// By the names of their folders.
    private var exports: OrderedDictionary<String, Export> = [:]

    /// Nothing is kept yet.
    public init() {}

    /// A store of its own with the same in it.
    func copy() -> MemoryClientStore {
        let copy = MemoryClientStore()
        copy.kept = kept
        copy.exports = exports
        for client in kept.keys {
            copy.kept[client]?.tree = kept[client]?.tree.map { MemoryTreeStore($0.storage) }
            for (user, database) in kept[client]?.databases ?? [:] {
                copy.kept[client]?.databases[user] = MemoryUserData(database.value)
            }
        }
        return copy
    }

    /// The device that is kept, or else the proposed one from now on.
    public func installation(profile: String, client: String, proposed: String) -> String {
        let client = Client(profile: profile, name: client)
        if let device = kept[client]?.device { return device }
        kept[client, default: Kept()].device = proposed
        return proposed
    }

    /// What the client kept, with all of its items; empty for one that never logged in.
    public func load(profile: String, client: String) -> LocalData {
        guard let kept = kept[Client(profile: profile, name: client)], var data = kept.data else { return LocalData() }
        data.items = Array(kept.items.values)
        return data
    }

    /// Keeps how a login went; its items are not looked at.
    public func save(_ data: LocalData, profile: String, client: String) {
        kept[Client(profile: profile, name: client), default: Kept()].data = data
    }

    /// The data of a user, which begins empty.
    public func data(of user: String, profile: String, client: String) -> any UserDataStore {
        let client = Client(profile: profile, name: client)
        if let known = kept[client]?.databases[user] { return known }
        let new = MemoryUserData(UserDatabase(owner: user))
        kept[client, default: Kept()].databases[user] = new
        return new
    }

    /// What a device holds of the tree, which begins empty.
    public func tree(profile: String, client: String) -> any TreeStore {
        memoryTree(profile: profile, client: client)
    }

    func memoryTree(profile: String, client: String) -> MemoryTreeStore {
        let client = Client(profile: profile, name: client)
        if let known = kept[client]?.tree { return known }
        let new = MemoryTreeStore()
        kept[client, default: Kept()].tree = new
        return new
    }

    /// Keeps the export in memory, under the name of the folder: a simulated world touches no disk.
    public func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) {
        exports[folder] = Export(user: user, messages: messages)
    }

    /// The export of that name.
    public func readExport(_ folder: String, for user: String) throws -> [LocalMessage] {
        guard let export = exports[folder] else { throw WorldError("'\(folder)' is no export of messages") }
        guard export.user == user else { throw WorldError("the export '\(folder)' is another user's") }
        return export.messages
    }

    /// Nothing is held that could be let go of.
    public func closeData(profile: String, client: String) {}

    /// Keeps each item once; at ``ClientMachine/itemCountMax`` the oldest go.
    public func keep(_ items: [LocalItem], profile: String, client: String) {
        let client = Client(profile: profile, name: client)
        var names = kept[client]?.items ?? [:]
        // Not held twice while it changes: it would be copied.
        kept[client]?.items = [:]
        for item in items {
            let name = ItemName(user: item.user, kind: item.kind, id: item.id)
            if names[name] == nil { names[name] = item }
        }
        names.removeFirst(max(0, names.count - ClientMachine.itemCountMax))
        kept[client, default: Kept()].items = names
    }
}

/// What a device holds of the tree, as long as this value lives. It cannot fail.
///
/// Confined to the world's thread.
final class MemoryTreeStore: TreeStore {
    var storage: TreeStorage

    init(_ storage: TreeStorage = TreeStorage()) { self.storage = storage }

    var loss: String? { nil }

    func contents() -> TreeStorage.Contents { storage.contents }

    func apply(_ changes: [TreeStorage.Change]) { for change in changes { storage.apply(change) } }

    func held(_ queries: [UInt64]) -> [TreeStorage.Held] { storage.held(queries) }
}
