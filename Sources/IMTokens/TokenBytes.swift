import CZlib
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The encodings, hashes and ciphers that tokens use. A library implements each of them.
enum TokenBytes {
    /// Decodes Base64 in the alphabet of RFC 4648, section 4 or 5, with or without padding.
    ///
    /// - Parameters:
    ///   - written: the characters of the token's alphabet that differ from the standard alphabet.
    ///   - standard: the characters of the standard alphabet that replace them, in the same order.
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

    /// The maximum number of bytes after decompression. No real token is larger, but an attacker could make a larger
    /// one to exhaust the memory.
    static let inflatedMax = 256 << 10

    /// Decompresses data in the format of zlib (RFC 1950).
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

    static func hmac<Hash: HashFunction>(
        _ message: [UInt8], key: [UInt8], _ hash: Hash.Type = SHA256.self
    ) -> [UInt8] {
        Array(HMAC<Hash>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func hash<Hash: HashFunction>(_ message: String, _ hash: Hash.Type) -> [UInt8] {
        Array(Hash.hash(data: Array(message.utf8)))
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func check(_ signature: [UInt8], equals expected: [UInt8]) -> TokenFacts.Signature {
        // Keys are compared in constant time: the duration does not depend on the first byte that differs.
        SymmetricKey(data: signature) == SymmetricKey(data: expected) ? .valid : .wrong
    }

    static func check(hex signature: String, equals expected: [UInt8]) -> TokenFacts.Signature {
        check(Array(signature.lowercased().utf8), equals: Array(hex(expected).utf8))
    }

    // MARK: AES

    /// Decrypts AES. With GCM the last 16 bytes are the tag; CBC has PKCS#5 padding.
    ///
    /// - Returns: nil if the key has the wrong length, or if the bytes cannot be decrypted with it.
    static func decrypted(_ bytes: [UInt8], key: [UInt8], iv: [UInt8], isGCM: Bool) -> [UInt8]? {
        let symmetricKey = SymmetricKey(data: key)
        if isGCM {
            guard iv.count == 12, bytes.count > 16, let nonce = try? AES.GCM.Nonce(data: iv),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: bytes.dropLast(16), tag: bytes.suffix(16))
            else { return nil }
            return (try? AES.GCM.open(box, using: symmetricKey)).map { Array($0) }
        }
        guard let iv = try? AES._CBC.IV(ivBytes: iv) else { return nil }
        return (try? AES._CBC.decrypt(bytes, using: symmetricKey, iv: iv)).map { Array($0) }
    }

    // MARK: JSON

    static func json<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) throws(TokenError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw TokenError("the token is damaged: its JSON cannot be read")
        }
    }
}

/// A JSON number or string. Vendors' token builders write some values in either form.
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
