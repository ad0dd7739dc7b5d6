import COpenSSL
import CZlib

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Codings and ciphers of tokens, each from the library of the system.
enum TokenBytes {
    /// Base64 in the alphabet of RFC 4648, 4 or 5, with or without padding.
    ///
    /// - Parameters:
    ///   - written: the characters that the token has.
    ///   - standard: in their place, those of the standard alphabet.
    static func base64(
        _ text: some StringProtocol, written: StaticString = "-_", standard: StaticString = "+/"
    ) throws(TokenError) -> [UInt8] {
        let count = written.utf8CodeUnitCount
        var plain = text.utf8.map { byte in
            (0..<count).first { written.utf8Start[$0] == byte }.map { standard.utf8Start[$0] } ?? byte
        }
        let padding = UInt8(ascii: "=")
        while plain.last == padding { plain.removeLast() }
        plain += [UInt8](repeating: padding, count: (4 - plain.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(plain)) else {
            throw TokenError("the token is damaged: it is not Base64")
        }
        return Array(data)
    }

    /// A token that is larger when it is decompressed is an attack.
    static let inflatedMax = 256 << 10

    /// Decompresses zlib's format (RFC 1950).
    static func inflated(_ bytes: [UInt8]) throws(TokenError) -> [UInt8] {
        var count = uLong(inflatedMax)
        let inflated = [UInt8](unsafeUninitializedCapacity: inflatedMax) { buffer, used in
            let isDone = uncompress(buffer.baseAddress, &count, bytes, uLong(bytes.count)) == Z_OK
            used = isDone ? Int(count) : 0
        }
        guard !inflated.isEmpty else { throw TokenError("the token is damaged: it cannot be decompressed") }
        return inflated
    }

    static func crc32(_ text: String) -> UInt32 {
        let bytes = Array(text.utf8)
        return UInt32(truncatingIfNeeded: CZlib.crc32(0, bytes, uInt(bytes.count)))
    }

    // MARK: Hashes

    static func hmac(_ message: [UInt8], key: [UInt8], digest: OpaquePointer? = EVP_sha256()) -> [UInt8] {
        // A null key would mean another one than an empty one.
        let pointed = key.isEmpty ? [0] : key
        return filled { HMAC(digest, pointed, Int32(key.count), message, message.count, $0, $1) != nil }
    }

    static func hash(_ message: String, _ digest: OpaquePointer?) -> [UInt8] {
        let bytes = Array(message.utf8)
        return filled { EVP_Digest(bytes, bytes.count, $0, $1, digest, nil) == 1 }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// - Returns: no bytes if the library refuses the digest; they equal no signature.
    private static func filled(_ make: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>) -> Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        return make(&bytes, &length) ? Array(bytes.prefix(Int(length))) : []
    }

    static func check(_ signature: [UInt8], equals right: [UInt8]) -> TokenFacts.Signature {
        guard !right.isEmpty, signature.count == right.count else { return .wrong }
        return CRYPTO_memcmp(signature, right, right.count) == 0 ? .valid : .wrong
    }

    static func check(hex signature: String, equals right: [UInt8]) -> TokenFacts.Signature {
        check(Array(signature.lowercased().utf8), equals: Array(hex(right).utf8))
    }

    // MARK: AES

    /// Decrypts AES. With GCM the last 16 bytes are the tag; CBC has PKCS#5 padding.
    ///
    /// - Returns: nil for a key or bytes that do not fit.
    static func decrypted(_ bytes: [UInt8], key: [UInt8], iv: [UInt8], isGCM: Bool) -> [UInt8]? {
        let tagCount = isGCM ? 16 : 0
        guard [16, 24, 32].contains(key.count), iv.count == (isGCM ? 12 : 16), bytes.count > tagCount,
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        let cipher =
            switch (key.count, isGCM) {
            case (16, false): EVP_aes_128_cbc()
            case (24, false): EVP_aes_192_cbc()
            case (32, false): EVP_aes_256_cbc()
            case (16, true): EVP_aes_128_gcm()
            case (24, true): EVP_aes_192_gcm()
            default: EVP_aes_256_gcm()
            }
        let body = Array(bytes.dropLast(tagCount))
        var tag = Array(bytes.suffix(tagCount))
        var plain = [UInt8](repeating: 0, count: body.count + 32)
        var (count, rest): (Int32, Int32) = (0, 0)
        guard EVP_DecryptInit_ex(context, cipher, nil, key, iv) == 1,
            EVP_DecryptUpdate(context, &plain, &count, body, Int32(body.count)) == 1,
            !isGCM || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
        else { return nil }
        let isDone = plain.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { EVP_DecryptFinal_ex(context, $0 + Int(count), &rest) == 1 } ?? false
        }
        return isDone ? Array(plain.prefix(Int(count + rest))) : nil
    }

    // MARK: JSON

    static func json<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) throws(TokenError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw TokenError("the token is damaged: its JSON cannot be read")
        }
    }
}

/// A number or a text of JSON, as vendors' builders write either.
struct JSONScalar: Decodable {
    let text: String
    var number: Int64? { Int64(text) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else if let number = try? container.decode(Double.self) {
            text = Int64(exactly: number.rounded(.towardZero)).map(String.init) ?? String(number)
        } else {
            text = try container.decode(String.self)
        }
    }
}
