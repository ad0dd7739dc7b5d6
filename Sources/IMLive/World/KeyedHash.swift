import Crypto
import CryptoExtras
import Foundation

/// The functions of cryptography that tokens and passwords need, from swift-crypto.
enum KeyedHash {
    /// The default length of a hash, in bytes.
    static let bytes = SHA256.byteCount

    /// HMAC with SHA-256 (RFC 2104). The result has ``bytes`` bytes.
    static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    /// PBKDF2 with HMAC and SHA-256 (RFC 8018, 5.2).
    ///
    /// - Returns: nil for an empty password or salt, and for an unsupported number of rounds.
    static func stretched(_ password: String, salt: [UInt8], rounds: Int, count: Int = bytes) -> [UInt8]? {
        guard !password.isEmpty, !salt.isEmpty, (1...Int(Int32.max)).contains(rounds), count > 0 else { return nil }
        // The checked function of CryptoExtras refuses fewer than 210,000 rounds, which the records of tests have.
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: count,
            unsafeUncheckedRounds: rounds)
        return key?.withUnsafeBytes { Array($0) }
    }

    /// Bytes for a key or a salt, from the system's random number generator.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }

    /// Compares two byte strings in constant time.
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        SymmetricKey(data: one) == SymmetricKey(data: other)
    }
}
