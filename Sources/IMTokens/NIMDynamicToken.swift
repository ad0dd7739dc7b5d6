import Crypto

/// NIM's dynamic token: Base64 of JSON with a signature, a time in milliseconds and a length in seconds. The app key
/// and the account are signed, but the token does not contain them. A static token of NIM is a text without structure.
enum NIMDynamicToken {
    private struct Content: Decodable {
        var signature: String
        var curTime: JSONScalar
        var ttl: JSONScalar
    }

    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        guard let bytes = try? TokenBytes.base64(token), let content = try? TokenBytes.json(bytes, as: Content.self)
        else { throw TokenError("not a token of a known kind; a static NIM token contains no readable data") }
        var facts = TokenFacts(.nimDynamic)
        facts.isAppToken = false
        facts.issued = content.curTime.number.map { $0 / 1000 }
        facts.setExpiry(after: content.ttl.number ?? 0)
        if let time = content.curTime.number, !TokenFacts.isMilliseconds(time) {
            facts.mistakes.append(.unit("curTime is in seconds; NIM expects milliseconds (Easemob expects seconds)"))
        }
        guard let secret = context.secret else { return facts }
        guard let app = context.app, let user = context.user else {
            facts.signature = .notChecked("it also needs the app key and the user")
            return facts
        }
        let text = app + user + content.curTime.text + content.ttl.text + String(decoding: secret, as: UTF8.self)
        facts.signature = TokenBytes.check(hex: content.signature, equals: TokenBytes.hash(text, Insecure.SHA1.self))
        return facts
    }
}
