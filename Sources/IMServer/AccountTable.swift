import OrderedCollections

/// The accounts of a server by the names of their users, in the order of creation.
///
/// The table also records which accounts were accessed for a change. A host that stores accounts on disk uses this
/// record: otherwise it would have to compare every account after each input. The record is not part of the state.
struct AccountTable: Hashable, Sendable, Codable {
    private(set) var keys: OrderedSet<String> = []
    /// The accounts, at the same indices as their users in `keys`. An element is nil only while the subscript yields
    /// it. The elements are optionals because the subscript yields an optional: making one from an `Account` would copy
    /// the whole account on each access.
    private var accounts: [Account?] = []
    /// The users whose accounts were accessed for a change, in the order of access. A user may occur several times.
    private(set) var touched: [String] = []

    init() {}

    subscript(user: String) -> Account? {
        _read {
            if let index = keys.firstIndex(of: user) { yield accounts[index] } else { yield nil }
        }
        _modify {
            touch(user)
            if let index = keys.firstIndex(of: user) {
                yield &accounts[index]
                if case .none = accounts[index] { remove(at: index) }
            } else {
                var account: Account?
                yield &account
                if let account { append(account, of: user) }
            }
        }
    }

    /// Changes an account in place. Returns nil if the user has no account.
    @discardableResult
    mutating func at<Result>(_ user: String, _ body: (inout Account) -> Result) -> Result? {
        guard let index = keys.firstIndex(of: user) else { return nil }
        touch(user)
        return accounts[index]?.at(body)
    }

    var values: some Sequence<Account> { accounts.lazy.compactMap(\.self) }
    var count: Int { keys.count }

    mutating func clearTouched() {
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func touch(_ user: String) {
        // Most inputs access one account several times. The check avoids most of the repeated names.
        if touched.last != user { touched.append(user) }
    }

    private mutating func append(_ account: Account, of user: String) {
        keys.append(user)
        accounts.append(account)
    }

    private mutating func remove(at index: Int) {
        keys.remove(at: index)
        accounts.remove(at: index)
    }

    static func == (left: AccountTable, right: AccountTable) -> Bool {
        left.keys == right.keys && left.accounts == right.accounts
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(keys)
        hasher.combine(accounts)
    }

    init(from decoder: any Decoder) throws {
        for (user, account) in try OrderedDictionary<String, Account>(from: decoder) { append(account, of: user) }
    }

    func encode(to encoder: any Encoder) throws {
        try OrderedDictionary(uniqueKeys: keys, values: Array(values)).encode(to: encoder)
    }
}

extension Account {
    fileprivate mutating func at<Result>(_ body: (inout Account) -> Result) -> Result { body(&self) }
}
