/// A server's record of a password.
public struct PasswordRecord: Hashable, Sendable {
    /// Random bytes that differ for each record, so that equal passwords have different hashes.
    public var salt: [UInt8]
    /// The number of hash iterations. Each record stores its number, so that later records can use a higher one.
    public var rounds: Int
    public var hash: [UInt8]

    public init(salt: [UInt8], rounds: Int, hash: [UInt8]) {
        self.salt = salt
        self.rounds = rounds
        self.hash = hash
    }
}
