import IMClient
import IMLocalData
import IMTree

/// What the clients of an installation keep between two runs of their apps: who they are, and how their last login went.
/// Credentials are kept by name; the secrets are elsewhere.
public protocol ClientStore: AnyObject {
    /// The device id of a client: the one kept, or else `proposed`, which is kept from now on.
    func installation(profile: String, client: String, proposed: String) throws -> String
    /// What a client kept; empty for one that never logged in.
    func load(profile: String, client: String) throws -> LocalData
    /// Saves how a login went. The items in it are not looked at: they are kept one by one.
    func save(_ data: LocalData, profile: String, client: String) throws
    /// Keeps things with the data of their users, each once (its user, kind and id name it), and of all no more than a
    /// client holds, ``ClientMachine/itemCountMax``.
    func keep(_ items: [LocalItem], profile: String, client: String) throws
    /// The local data of a user on a client's device, empty where there is none yet (ZIM-9). Nobody else's is ever given
    /// (C-13).
    func data(of user: String, profile: String, client: String) throws -> any UserDataStore
    /// What a client's device holds of the tree, empty where there is nothing yet (SYNC-2).
    func tree(profile: String, client: String) throws -> any TreeStore
    /// Writes an export of a user's messages into a folder, in the place of the one that is there (ZIM-9).
    func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) throws
    /// Reads an export; throws for what is none, is damaged or of another user.
    func readExport(_ folder: String, for user: String) throws -> [LocalMessage]
    /// The data that a client had open is used no more for now.
    func closeData(profile: String, client: String)
}

/// What a device holds of the tree.
public protocol TreeStore: AnyObject {
    /// What was there and cannot be used any more, and where it is now, in one line; nil where all is well.
    var loss: String? { get }
    /// What a process begins with.
    func contents() throws -> TreeStorage.Contents
    /// Makes the changes one after the other, all or none.
    func apply(_ changes: [TreeStorage.Change]) throws
    /// The data of queries, as far as they are tracked.
    func held(_ queries: [UInt64]) throws -> [TreeStorage.Held]
}
