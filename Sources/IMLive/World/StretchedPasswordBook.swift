import Foundation
import IMSimulation

/// The passwords of one application's users. Stored passwords are salted and stretched, so that someone who reads the
/// records needs much time for each guess.
///
/// Confined to the world's thread. Only the stretching runs on other threads.
final class StretchedPasswordBook: PasswordBook {
    /// The cost of one guess.
    struct Cost: Sendable {
        /// The number of rounds of PBKDF2 with HMAC-SHA256.
        var rounds: Int

        /// The number of rounds that is recommended for PBKDF2. It takes a fifth of a second or less, outside of the
        /// event loop, so that it delays no frames of other connections.
        static let live = Cost(rounds: 600_000)
    }

    static let saltBytes = 16
    static let hashBytes = KeyedHash.bytes

    private let cost: Cost
    private var records: [String: PasswordRecord]
    /// Stores or deletes the record of a password.
    private let keep: (PasswordRecord?, _ user: String) throws -> Void
    /// The record that is checked for a user without a password, so that the time of an answer does not reveal which
    /// users have one.
    private let decoy: PasswordRecord
    /// The number of changes of each user's password, to detect a check that started before a change.
    private var versions: [String: UInt64] = [:]
    /// Runs the checks on few threads, so that a flood of logins does not use every processor.
    private let workers: OperationQueue

    init(
        cost: Cost, records: [String: PasswordRecord] = [:],
        keep: @escaping (PasswordRecord?, _ user: String) throws -> Void = { _, _ in }
    ) {
        self.cost = cost
        self.records = records
        self.keep = keep
        decoy = PasswordRecord(
            salt: KeyedHash.randomBytes(Self.saltBytes), rounds: cost.rounds,
            hash: KeyedHash.randomBytes(Self.hashBytes))
        workers = OperationQueue()
        workers.maxConcurrentOperationCount = 2
        workers.qualityOfService = .userInitiated
    }

    /// The record to store for a password.
    func record(of password: String) throws -> PasswordRecord {
        let salt = KeyedHash.randomBytes(Self.saltBytes)
        guard let hash = KeyedHash.stretched(password, salt: salt, rounds: cost.rounds) else {
            throw WorldError("the password cannot be hashed")
        }
        return PasswordRecord(salt: salt, rounds: cost.rounds, hash: hash)
    }

    func set(_ password: String, of user: String) throws { try set(try record(of: password), of: user) }

    func forget(_ user: String) throws { try set(nil, of: user) }

    private func set(_ record: PasswordRecord?, of user: String) throws {
        try keep(record, user)
        records[user] = record
        versions[user, default: 0] += 1
    }

    func hasPassword(_ user: String) -> Bool { records[user] != nil }

    func version(of user: String) -> UInt64 { versions[user] ?? 0 }

    /// Checks a password. The check of an unknown user takes as long as that of a known one.
    func check(_ password: String, of user: String, isUrgent: Bool, then: @escaping @Sendable (Bool) -> Void) {
        guard Password.rejectionReason(to: password) == nil else { return then(false) }
        let record = records[user] ?? decoy
        let operation = BlockOperation { then(Self.matches(password, record)) }
        operation.queuePriority = isUrgent ? .veryHigh : .normal
        workers.addOperation(operation)
    }

    private static func matches(_ password: String, _ record: PasswordRecord) -> Bool {
        KeyedHash.stretched(password, salt: record.salt, rounds: record.rounds)
            .map { KeyedHash.isSame($0, record.hash) } ?? false
    }
}
