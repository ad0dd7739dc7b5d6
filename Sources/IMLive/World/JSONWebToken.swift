import Foundation

/// A JSON Web Token that is signed with HMAC-SHA256 (RFC 7519, and HS256 of RFC 7518). A token with another algorithm,
/// or with none, is invalid.
struct JSONWebToken {
    /// The parts of the token, still encoded.
    private let header: Substring
    private let payload: Substring
    private let signature: Substring

    /// Nil for a text without exactly three parts.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        (header, payload, signature) = (parts[0], parts[1], parts[2])
    }

    /// Creates a token with these claims.
    static func signed(_ claims: some Encodable, key: [UInt8]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = base64URL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let signed = "\(head).\(base64URL(Array(try encoder.encode(claims))))"
        return "\(signed).\(base64URL(KeyedHash.hmac(Array(signed.utf8), key: key)))"
    }

    /// True if the token was signed with the key, and its header requires no extension. This program supports no
    /// extensions (RFC 7515, 4.1.11).
    func isSigned(with key: [UInt8]) -> Bool {
        guard let header = Self.decode(header, as: Header.self), header.algorithm == "HS256", !header.isCritical,
            let code = Self.bytes(signature)
        else { return false }
        return KeyedHash.isSame(code, KeyedHash.hmac(Array("\(self.header).\(payload)".utf8), key: key))
    }

    /// The claims, without a check of the signature; nil if they cannot be decoded.
    func claims<Claims: Decodable>(as type: Claims.Type) -> Claims? { Self.decode(payload, as: type) }

    private struct Header: Decodable {
        let algorithm: String
        let isCritical: Bool

        private enum CodingKeys: String, CodingKey {
            case algorithm = "alg"
            case critical = "crit"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try members.decode(String.self, forKey: .algorithm)
            isCritical = members.contains(.critical)
        }
    }

    // MARK: Base64 of URLs (RFC 4648, 5), without padding

    private static func decode<Value: Decodable>(_ part: Substring, as type: Value.Type) -> Value? {
        guard let bytes = bytes(part), isPlainUTF8(bytes) else { return nil }
        return try? JSONDecoder().decode(type, from: Data(bytes))
    }

    private static func bytes(_ part: Substring) -> [UInt8]? {
        guard !part.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let plain = part.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: plain + padding).map({ Array($0) }) else { return nil }
        // The last character may have bits that belong to no byte. Only the text that was signed is accepted, so the
        // bytes must give the same text.
        return base64URL(bytes) == part ? bytes : nil
    }

    /// True if the bytes are UTF-8 without a byte order mark, so that a JSON decoder cannot read them as another
    /// encoding (RFC 7519, 7.2).
    private static func isPlainUTF8(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
            && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
