/// Tencent's UserSig (documented in tencentyun/tls-sig-api-v2): JSON, compressed with zlib, in Base64 with a special
/// alphabet.
enum UserSigToken {
    private struct Content: Decodable {
        var version: JSONScalar?
        var user: JSONScalar?
        var app: JSONScalar?
        var expire: JSONScalar?
        var time: JSONScalar?
        var signature: String?
        var buffer: String?

        private enum CodingKeys: String, CodingKey {
            case version = "TLS.ver"
            case user = "TLS.identifier"
            case app = "TLS.sdkappid"
            case expire = "TLS.expire"
            case time = "TLS.time"
            case signature = "TLS.sig"
            case buffer = "TLS.userbuf"
        }
    }

    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        let json = try TokenBytes.inflated(try TokenBytes.base64(token, written: "*-_", standard: "+/="))
        let content = try TokenBytes.json(json, as: Content.self)
        guard let user = content.user, let app = content.app, let time = content.time, let expire = content.expire
        else { throw TokenError("the token is damaged: a UserSig has a user, an app, a time and a length") }
        var facts = TokenFacts(.userSig)
        facts.app = app.text
        facts.user = user.text
        facts.isAppToken = false
        facts.issued = time.number
        facts.setExpiry(after: expire.number ?? 0)
        facts.add("version", content.version?.text)
        if let time = time.number, TokenFacts.isMilliseconds(time) {
            facts.mistakes.append(.unit("TLS.time is in milliseconds; Tencent expects seconds"))
        }
        if let expire = expire.number, TokenFacts.isTime(expire) {
            facts.mistakes.append(.unit("TLS.expire is a time; Tencent expects the seconds after TLS.time"))
        }
        guard let secret = context.secret else { return facts }
        guard content.version?.text.hasPrefix("2") == true else {
            facts.signature = .notChecked("versions before 2 are signed with a private key")
            return facts
        }
        var signed = "TLS.identifier:\(user.text)\nTLS.sdkappid:\(app.text)\n"
        signed += "TLS.time:\(time.text)\nTLS.expire:\(expire.text)\n"
        if let buffer = content.buffer { signed += "TLS.userbuf:\(buffer)\n" }
        let expected = TokenBytes.hmac(Array(signed.utf8), key: secret)
        facts.signature = TokenBytes.check((try? TokenBytes.base64(content.signature ?? "")) ?? [], equals: expected)
        return facts
    }
}
