import IMClient
import IMLocalData
import IMTree

/// Stores the data that the clients of an installation keep between two runs of their apps: their device ids, the
/// outcome of their last login, and the local data of their users. Credentials are stored by name only;
/// ``CredentialVault`` stores the secrets.
public protocol ClientStore: AnyObject {
    /// The device id of a client: the stored one, or else `proposed`, which is then stored.
    func installation(profile: String, client: String, proposed: String) throws -> String
    /// The stored data of a client; empty for one that never logged in.
    func load(profile: String, client: String) throws -> LocalData
    /// Saves the outcome of a login. It ignores the items of `data`, which ``keep(_:profile:client:)`` stores.
    func save(_ data: LocalData, profile: String, client: String) throws
    /// Stores items of a client's users. An item that has the user, kind and id of a stored one is ignored. A client
    /// keeps at most ``ClientMachine/itemCountMax`` items.
    func keep(_ items: [LocalItem], profile: String, client: String) throws
    /// The local data of a user on a client's device, empty if there is none yet (ZIM-9). It never returns another
    /// user's data (C-13).
    func data(of user: String, profile: String, client: String) throws -> any UserDataStore
    /// The tree data that a client's device stores, empty if there is none yet (SYNC-2).
    func tree(profile: String, client: String) throws -> any TreeStore
    /// Writes an export of a user's messages into a folder, and replaces an existing one (ZIM-9).
    func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) throws
    /// Reads an export; throws if it is not an export, is damaged or belongs to another user.
    func readExport(_ folder: String, for user: String) throws -> [LocalMessage]
    /// Closes the data that a client had open.
    func closeData(profile: String, client: String)
}

/// The tree data that a device stores.
public protocol TreeStore: AnyObject {
    /// One line about stored data that became unusable, and where it is now; nil if nothing was lost.
    var loss: String? { get }
    /// The data with which a process starts.
    func contents() throws -> TreeStorage.Contents
    /// Applies the changes in order, all or none.
    func apply(_ changes: [TreeStorage.Change]) throws
    /// The stored data of the queries with these numbers. Queries that are not tracked are left out.
    func storedData(of queries: [UInt64]) throws -> [TreeStorage.Held]
}
