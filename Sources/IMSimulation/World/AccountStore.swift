/// Where a server keeps what outlives its process: its accounts and the tree, by application. What an account holds is
/// the server's business; here it is JSON.
public protocol AccountStore: AnyObject {
    /// The accounts of an application, in the order in which they were made.
    func accounts(profile: String) throws -> [(user: String, json: [UInt8])]
    /// What is known of the accounts that were removed, the oldest removal first.
    func removals(profile: String) throws -> [(user: String, json: [UInt8])]
    /// The tree of an application, nil when it has none.
    func tree(profile: String) throws -> [UInt8]?
    /// Saves what changed, all of it or nothing.
    ///
    /// - Parameters:
    ///   - removals: what is known of removed accounts; without JSON for those that are there again.
    ///   - tree: nil when it did not change.
    func save(
        _ changes: [AccountChange], removals: [AccountChange], tree: [UInt8]?, profile: String) throws
}

/// What became of an account.
public struct AccountChange: Hashable, Sendable {
    /// Whose account it is.
    public var user: String
    /// Nil for an account that is gone.
    public var json: [UInt8]?

    /// What to keep of an account; nil takes it away.
    public init(user: String, json: [UInt8]?) {
        self.user = user
        self.json = json
    }
}
