/// Stores, for each application, the server state that outlives the server's process: the accounts and the tree. The
/// server defines the contents of an account; the store treats them as opaque JSON.
public protocol AccountStore: AnyObject {
    /// The accounts of an application, in order of creation.
    func accounts(profile: String) throws -> [(user: String, json: [UInt8])]
    /// The rows of all accounts of an application; those of a list are in the order of their numbers.
    func rows(profile: String) throws -> [AccountRow]
    /// The records of removed accounts, the oldest removal first.
    func removals(profile: String) throws -> [(user: String, json: [UInt8])]
    /// The tree of an application, nil if it has none.
    func tree(profile: String) throws -> [UInt8]?
    /// The changes of the tree after it was saved whole, the oldest first.
    func treeChanges(profile: String) throws -> [[UInt8]]
    /// Saves the changes, all of them or nothing.
    ///
    /// - Parameters:
    ///   - removals: the records of removed accounts; without JSON for accounts that exist again.
    ///   - tree: nil if it did not change.
    func save(
        _ changes: [AccountChange], removals: [AccountChange], tree: TreeSave?, profile: String) throws
}

/// The part of a tree to save.
public enum TreeSave: Hashable, Sendable {
    /// The whole tree. It replaces the stored tree and its changes.
    case whole([UInt8])
    /// A change of the tree, to be appended to the stored changes.
    case change([UInt8])
}

/// The change of one account.
public struct AccountChange: Hashable, Sendable {
    /// The user who owns the account.
    public var user: String
    /// Nil for a removed account.
    public var json: [UInt8]?
    /// The rows that changed. Removing an account removes all of its rows.
    public var rows: [AccountRow] = []

    /// A change that stores the account's JSON; if `json` is nil, it removes the account.
    public init(user: String, json: [UInt8]?, rows: [AccountRow] = []) {
        self.user = user
        self.json = json
        self.rows = rows
    }
}

/// An entry of a growing list of an account, stored as a row of its own.
public struct AccountRow: Hashable, Sendable {
    /// The user who owns the account.
    public var user: String
    /// The list of the account to which the entry belongs.
    public var list: String
    /// The number of the entry in its list.
    public var number: UInt64
    /// Nil for a removed entry.
    public var json: [UInt8]?

    /// A row that stores an entry; if `json` is nil, it removes the entry.
    public init(user: String, list: String, number: UInt64, json: [UInt8]?) {
        (self.user, self.list, self.number, self.json) = (user, list, number, json)
    }
}
