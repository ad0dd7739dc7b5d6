import Crypto

/// A JSON Web Token (RFC 7519), as Firebase, Wilddog and this program's own server issue them.
enum JWTToken {
    private struct Header: Decodable {
        var alg: String
        var kid: String?
    }

    private struct Claims: Decodable {
        var iss: JSONScalar?
        var sub: JSONScalar?
        var uid: JSONScalar?
        var aud: Audience?
        var iat: JSONScalar?
        var exp: JSONScalar?
        /// The claim in which Wilddog stores its own data.
        var d: Inner?

        struct Inner: Decodable { var uid: JSONScalar? }
    }

    /// One text or a list of texts (RFC 7519, 4.1.3).
    private struct Audience: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? container.decode([String].self).joined(separator: ", ")
        }
    }

    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw TokenError("not a token of a known kind: a JSON Web Token has 3 parts, this text has \(parts.count)")
        }
        let header = try TokenBytes.json(try TokenBytes.base64(parts[0]), as: Header.self)
        let claims = try TokenBytes.json(try TokenBytes.base64(parts[1]), as: Claims.self)
        var facts = TokenFacts(.jwt)
        facts.app = claims.aud?.text
        facts.user = (claims.uid ?? claims.d?.uid ?? claims.sub)?.text
        facts.issued = claims.iat?.number
        facts.expires = claims.exp?.number
        facts.add("algorithm", header.alg)
        facts.add("key", header.kid)
        facts.add("issuer", claims.iss?.text)
        if claims.uid != nil { facts.add("subject", claims.sub?.text) }
        for (name, time) in [("iat", facts.issued), ("exp", facts.expires)] {
            guard let time, TokenFacts.isMilliseconds(time) else { continue }
            facts.mistakes.append(.unit("\(name) is in milliseconds; a JSON Web Token has seconds"))
        }
        if header.alg.lowercased() == "none" {
            facts.mistakes.append(.unsigned)
        } else if let secret = context.secret {
            let signed = Array("\(parts[0]).\(parts[1])".utf8)
            let expected: [UInt8]? =
                switch header.alg {
                case "HS256": TokenBytes.hmac(signed, key: secret)
                case "HS384": TokenBytes.hmac(signed, key: secret, SHA384.self)
                case "HS512": TokenBytes.hmac(signed, key: secret, SHA512.self)
                default: nil
                }
            facts.signature =
                expected.map { TokenBytes.check((try? TokenBytes.base64(parts[2])) ?? [], equals: $0) }
                ?? .notChecked("the algorithm needs a public key, not a secret")
        }
        return facts
    }
}
