import Foundation
import IMSimulation

/// The passwords of one application's users, salted and stretched for storage, so that someone who reads the records
/// must guess each password slowly.
///
/// Confined to the world's thread; only the stretching is done elsewhere.
final class StretchedPasswordBook: PasswordBook {
    /// The amount of work for one guess.
    struct Cost: Sendable {
        /// Rounds of PBKDF2 with HMAC-SHA256.
        var rounds: Int

        /// The number of rounds that is recommended for this function; a fifth of a second or less. It runs outside of
        /// the event loop, so that it delays no frames of others.
        static let live = Cost(rounds: 600_000)
    }

    static let saltBytes = 16
    static let hashBytes = KeyedHash.bytes

    private let cost: Cost
    private var records: [String: PasswordRecord]
    /// Stores or deletes the record of a password.
    private let keep: (PasswordRecord?, _ user: String) throws -> Void
    /// Used instead of the record of a user without one, so that the time of an answer does not show who has one.
    private let decoy: PasswordRecord
    /// The number of changes for each user, to detect checks that started before one.
    private var versions: [String: UInt64] = [:]
    /// Few threads: a flood of logins must not use every processor.
    private let workers: OperationQueue

    init(
        cost: Cost, records: [String: PasswordRecord] = [:],
        keep: @escaping (PasswordRecord?, _ user: String) throws -> Void = { _, _ in }
    ) {
        self.cost = cost
        self.records = records
        self.keep = keep
        decoy = PasswordRecord(
            salt: Self.randomBytes(Self.saltBytes), rounds: cost.rounds, hash: Self.randomBytes(Self.hashBytes))
        workers = OperationQueue()
        workers.maxConcurrentOperationCount = 2
        workers.qualityOfService = .userInitiated
    }

    /// The record to store for a password.
    func record(of password: String) throws -> PasswordRecord {
        let salt = Self.randomBytes(Self.saltBytes)
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

    /// Checks a password; the check takes the same time for an unknown user.
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

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }
}
