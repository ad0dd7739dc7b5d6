import Crypto
import CryptoExtras
import Foundation
import IMStore

/// The passwords of one application's users, as a server may keep them: salted and stretched, so that whoever reads
/// them has to guess each one, slowly.
///
/// Confined to the world's thread; only the stretching is done elsewhere.
final class PasswordBook {
    /// How much work a guess is, and who waits for it.
    struct Cost: Sendable {
        /// Rounds of PBKDF2 with HMAC-SHA256.
        var rounds: Int
        /// Whether the stretching happens at once, on the caller's thread.
        var isInline: Bool

        /// What is recommended for this function at the time of writing; a fifth of a second or less. It is done beside
        /// the event loop, so that nobody else's frames wait for it.
        static let live = Cost(rounds: 600_000, isInline: false)
        /// Nobody attacks a simulated world and nothing of it is kept, while a script may log in a thousand times; and
        /// virtual time cannot wait for a thread.
        static let simulated = Cost(rounds: 10, isInline: true)
    }

    static let saltBytes = 16
    static let hashBytes = 32
    /// Longer ones are refused, so that nobody makes a server stretch a novel.
    static let passwordBytesMax = 1024

    private let cost: Cost
    private var records: [String: PasswordRecord]
    /// Stands in for the record of somebody who has none, so that asking tells nobody who has one.
    private let decoy: PasswordRecord
    /// Counts the changes, for checks that were begun before one.
    private var versions: [String: UInt64] = [:]
    /// A few at a time: a flood of logins must not take every processor.
    private let workers: OperationQueue

    init(cost: Cost, records: [String: PasswordRecord] = [:]) {
        self.cost = cost
        self.records = records
        decoy = PasswordRecord(
            salt: Self.randomBytes(Self.saltBytes), rounds: cost.rounds, hash: Self.randomBytes(Self.hashBytes))
        workers = OperationQueue()
        workers.maxConcurrentOperationCount = 2
        workers.qualityOfService = .userInitiated
    }

    /// Why a text cannot be a password, nil when it can.
    static func objection(to password: String) -> String? {
        if password.isEmpty { return "a password cannot be empty" }
        if password.utf8.count > passwordBytesMax { return "a password has at most \(passwordBytesMax) bytes" }
        return nil
    }

    /// What to keep of a password.
    func record(of password: String) throws -> PasswordRecord {
        let salt = Self.randomBytes(Self.saltBytes)
        let key = try Self.stretch(password, salt: salt, rounds: cost.rounds)
        return PasswordRecord(salt: salt, rounds: cost.rounds, hash: key.withUnsafeBytes { Array($0) })
    }

    /// Sets the record of a user, or takes it away.
    func set(_ record: PasswordRecord?, of user: String) {
        records[user] = record
        versions[user, default: 0] += 1
    }

    func hasPassword(_ user: String) -> Bool { records[user] != nil }

    /// Changes whenever the user's password does.
    func version(of user: String) -> UInt64 { versions[user] ?? 0 }

    /// Whether a password is the user's. It takes as long for a user who is not there.
    ///
    /// - Parameters:
    ///   - isUrgent: whether it goes before those that are not, who may only be guessing.
    ///   - then: is called once; with an inline cost before this returns, else on any thread.
    func check(
        _ password: String, of user: String, isUrgent: Bool = false, then: @escaping @Sendable (Bool) -> Void
    ) {
        guard Self.objection(to: password) == nil else { return then(false) }
        let record = records[user] ?? decoy
        if cost.isInline { return then(Self.matches(password, record)) }
        let operation = BlockOperation { then(Self.matches(password, record)) }
        operation.queuePriority = isUrgent ? .veryHigh : .normal
        workers.addOperation(operation)
    }

    private static func matches(_ password: String, _ record: PasswordRecord) -> Bool {
        guard let key = try? stretch(password, salt: record.salt, rounds: record.rounds) else { return false }
        // The comparison of keys takes the same time wherever they differ.
        return key == SymmetricKey(data: record.hash)
    }

    private static func stretch(_ password: String, salt: [UInt8], rounds: Int) throws -> SymmetricKey {
        try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: hashBytes,
            unsafeUncheckedRounds: rounds)
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }
}
