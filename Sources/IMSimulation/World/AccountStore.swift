/// Where a server keeps what outlives its process: its accounts and the tree, by application. What an account holds is
/// the server's business; here it is JSON.
public protocol AccountStore: AnyObject {
    /// The accounts of an application, in the order in which they were made.
    func accounts(profile: String) throws -> [(user: String, json: [UInt8])]
    /// The rows of all accounts of an application; those of a list in the order of their numbers.
    func rows(profile: String) throws -> [AccountRow]
    /// What is known of the accounts that were removed, the oldest removal first.
    func removals(profile: String) throws -> [(user: String, json: [UInt8])]
    /// The tree of an application, nil when it has none.
    func tree(profile: String) throws -> [UInt8]?
    /// What changed of the tree since it was saved whole, the oldest change first.
    func treeChanges(profile: String) throws -> [[UInt8]]
    /// Saves what changed, all of it or nothing.
    ///
    /// - Parameters:
    ///   - removals: what is known of removed accounts; without JSON for those that are there again.
    ///   - tree: nil when it did not change.
    func save(
        _ changes: [AccountChange], removals: [AccountChange], tree: TreeSave?, profile: String) throws
}

/// What to save of a tree.
public enum TreeSave: Hashable, Sendable {
    /// All of it; it replaces the tree and its changes.
    case whole([UInt8])
    /// A change, to be added to what is there.
    case change([UInt8])

    var byteCount: Int {
        switch self {
        case .whole(let json), .change(let json): json.count
        }
    }
}

/// What became of an account.
public struct AccountChange: Hashable, Sendable {
    /// Whose account it is.
    public var user: String
    /// Nil for an account that is gone.
    public var json: [UInt8]?
    /// The rows that changed. All rows of an account that is gone are gone.
    public var rows: [AccountRow] = []

    /// What to keep of an account; nil takes it away.
    public init(user: String, json: [UInt8]?, rows: [AccountRow] = []) {
        self.user = user
        self.json = json
        self.rows = rows
    }
}

/// An entry of something that grows with an account, kept by itself.
public struct AccountRow: Hashable, Sendable {
    /// Whose account it is.
    public var user: String
    /// The list that it belongs to, within the account.
    public var list: String
    /// Its number within the list.
    public var number: UInt64
    /// Nil for an entry that is gone.
    public var json: [UInt8]?

    /// An entry, or the end of one.
    public init(user: String, list: String, number: UInt64, json: [UInt8]?) {
        (self.user, self.list, self.number, self.json) = (user, list, number, json)
    }
}
