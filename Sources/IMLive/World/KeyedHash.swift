import COpenSSL

/// The two functions that tokens and passwords need, from the system's OpenSSL.
enum KeyedHash {
    /// The length of what both return where nobody says it, in bytes.
    static let bytes = 32

    /// The library refuses to compute a hash, as one does that allows only some digests.
    struct Failure: Error, CustomStringConvertible {
        var description: String { "OpenSSL cannot compute HMAC-SHA256; check its configuration (openssl.cnf)" }
    }

    /// HMAC with SHA-256 (RFC 2104): ``bytes`` bytes.
    ///
    /// - Parameter digest: another one only in tests.
    static func hmac(
        _ message: [UInt8], key: [UInt8], digest: OpaquePointer? = EVP_sha256()
    ) throws(Failure) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: bytes)
        // A null key would mean another one than an empty one.
        let made = key.isEmpty ? [0] : key
        var length: UInt32 = 0
        let result = HMAC(digest, made, Int32(clamping: key.count), message, message.count, &code, &length)
        guard result != nil, length == UInt32(bytes) else { throw Failure() }
        return code
    }

    /// PBKDF2 with HMAC and SHA-256 (RFC 8018, 5.2).
    ///
    /// - Returns: nil where the library refuses, as with no rounds.
    static func stretched(_ password: String, salt: [UInt8], rounds: Int, count: Int = bytes) -> [UInt8]? {
        var password = password
        var key = [UInt8](repeating: 0, count: count)
        let isDone = password.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                PKCS5_PBKDF2_HMAC(
                    text.baseAddress, Int32(clamping: text.count), salt, Int32(clamping: salt.count),
                    Int32(clamping: rounds), EVP_sha256(), Int32(clamping: count), &key) == 1
            }
        }
        return isDone ? key : nil
    }

    /// Whether two texts are the same; it takes as long wherever they differ.
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return CRYPTO_memcmp(one, other, one.count) == 0
    }
}
