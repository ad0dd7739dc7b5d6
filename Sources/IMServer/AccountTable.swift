import OrderedCollections

/// The accounts of a server by the names of their users, in the order in which they were made.
///
/// It notes which accounts were reached for in order to change them, so that a host that keeps accounts on disk need
/// not compare them all after each input. The note says nothing of the state and is no part of it.
struct AccountTable: Hashable, Sendable, Codable {
    private(set) var keys: OrderedSet<String> = []
    /// At the places of their keys; none is nil but while it is taken out. Optionals, because the subscript hands one out:
    /// made of the account, it would be a copy of all of it with each reach.
    private var accounts: [Account?] = []
    /// In the order of the first reach; a name may be there several times.
    private(set) var touched: [String] = []

    init() {}

    subscript(user: String) -> Account? {
        _read {
            if let place = keys.firstIndex(of: user) { yield accounts[place] } else { yield nil }
        }
        _modify {
            touch(user)
            if let place = keys.firstIndex(of: user) {
                yield &accounts[place]
                if case .none = accounts[place] { remove(at: place) }
            } else {
                var account: Account?
                yield &account
                if let account { append(account, of: user) }
            }
        }
    }

    /// Changes an account where it stands; nil where there is none.
    @discardableResult
    mutating func at<Result>(_ user: String, _ body: (inout Account) -> Result) -> Result? {
        guard let place = keys.firstIndex(of: user) else { return nil }
        touch(user)
        return accounts[place]?.at(body)
    }

    var values: some Sequence<Account> { accounts.lazy.compactMap(\.self) }
    var count: Int { keys.count }

    mutating func forgetTouched() {
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func touch(_ user: String) {
        // Most inputs reach for one account, several times.
        if touched.last != user { touched.append(user) }
    }

    private mutating func append(_ account: Account, of user: String) {
        keys.append(user)
        accounts.append(account)
    }

    private mutating func remove(at place: Int) {
        keys.remove(at: place)
        accounts.remove(at: place)
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
