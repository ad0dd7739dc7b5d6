import OrderedCollections

/// The passwords of a simulated world, in plain text: nobody attacks such a world, its passwords are not stored on
/// disk, and virtual time cannot wait for a thread that hashes passwords.
final class PlainPasswordBook: PasswordBook {
    private var passwords: OrderedDictionary<String, String> = [:]
    private var versions: OrderedDictionary<String, UInt64> = [:]

    /// A copy that shares no data with this book.
    func copy() -> PlainPasswordBook {
        let copy = PlainPasswordBook()
        copy.passwords = passwords
        copy.versions = versions
        return copy
    }

    func set(_ password: String, of user: String) {
        passwords[user] = password
        versions[user, default: 0] += 1
    }

    func forget(_ user: String) {
        passwords[user] = nil
        versions[user, default: 0] += 1
    }

    func hasPassword(_ user: String) -> Bool { passwords[user] != nil }

    func version(of user: String) -> UInt64 { versions[user] ?? 0 }

    func check(_ password: String, of user: String, isUrgent: Bool, then: @escaping @Sendable (Bool) -> Void) {
        then(passwords[user] == password)
    }
}
