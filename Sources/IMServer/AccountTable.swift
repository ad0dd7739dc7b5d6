import OrderedCollections

/// The accounts of a server by the names of their users, in the order in which they were made.
///
/// It notes which accounts were reached for in order to change them, so that a host that keeps accounts on disk need
/// not compare them all after each input. The note says nothing of the state and is no part of it.
struct AccountTable: Hashable, Sendable, Codable {
    private var accounts: OrderedDictionary<String, Account> = [:]
    /// In the order of the first reach; a name may be there several times.
    private(set) var touched: [String] = []

    init() {}

    subscript(user: String) -> Account? {
        get { accounts[user] }
        _modify {
            touch(user)
            yield &accounts[user]
        }
    }

    /// Changes an account where it stands; nil where there is none.
    @discardableResult
    mutating func at<Result>(_ user: String, _ body: (inout Account) -> Result) -> Result? {
        guard let place = accounts.index(forKey: user) else { return nil }
        touch(user)
        return body(&accounts.values[place])
    }

    var keys: OrderedSet<String> { accounts.keys }
    var values: OrderedDictionary<String, Account>.Values { accounts.values }
    var count: Int { accounts.count }
    var isEmpty: Bool { accounts.isEmpty }

    @discardableResult
    mutating func removeValue(forKey user: String) -> Account? {
        touch(user)
        return accounts.removeValue(forKey: user)
    }

    mutating func forgetTouched() {
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func touch(_ user: String) {
        // Most inputs reach for one account, several times.
        if touched.last != user { touched.append(user) }
    }

    static func == (left: AccountTable, right: AccountTable) -> Bool { left.accounts == right.accounts }

    func hash(into hasher: inout Hasher) { hasher.combine(accounts) }

    init(from decoder: any Decoder) throws {
        accounts = try OrderedDictionary(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try accounts.encode(to: encoder) }
}
