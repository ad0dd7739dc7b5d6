/// What a server keeps of a password.
public struct PasswordRecord: Hashable, Sendable {
    /// Random bytes of its own, so that equal passwords are not seen to be equal.
    public var salt: [UInt8]
    /// How often the hash was repeated; each record has its own count, so that the count may grow with the years.
    public var rounds: Int
    public var hash: [UInt8]

    public init(salt: [UInt8], rounds: Int, hash: [UInt8]) {
        self.salt = salt
        self.rounds = rounds
        self.hash = hash
    }
}
