import Crypto

/// Easemob's access token: `YWMt`, which is Base64 of "ac-", then Base64 of 44 bytes (the older form, of Apache
/// Usergrid) or 94 bytes (the newer form).
enum EasemobToken {
    static func read(_ token: Substring) throws(TokenError) -> TokenFacts {
        let bytes = try TokenBytes.base64(token.dropFirst(4))
        var facts = TokenFacts(.easemob)
        facts.signature = .notChecked("only Easemob's servers have the key")
        var reader = ByteReader(bytes)
        let id = try reader.bytes(16)
        switch bytes.count {
        case 44:
            facts.issued = time(of: id)
            let expires = try reader.big(Int64.self)
            // For a token that does not expire, Usergrid writes the greatest `Int64`.
            facts.expires = expires == .max ? nil : expires / 1000
        case 94:
            try readNewer(&reader, &facts)
        default:
            throw TokenError("the token is damaged: it has \(bytes.count) bytes; an Easemob token has 44 or 94")
        }
        return facts
    }

    private static func readNewer(_ reader: inout ByteReader, _ facts: inout TokenFacts) throws(TokenError) {
        let application = try reader.bytes(16)
        let principal = uuid(try reader.bytes(16))
        let type = try reader.big(UInt8.self)
        _ = try reader.big(UInt8.self)
        facts.issued = try reader.big(Int64.self) / 1000
        let lifetime = try reader.big(UInt32.self)
        if lifetime > 0 { facts.setExpiry(after: Int64(lifetime)) }
        // The application with the UUID 0…01 is Easemob's management application. Its tokens can be for any app.
        let isManagement = application == [UInt8](repeating: 0, count: 15) + [1]
        switch type {
        case 1: facts.add("principal", "admin user \(principal)")
        case 2: facts.add("principal", "application \(principal)")
        case 3: facts.add("principal", "user \(principal) (a UUID; the token does not contain the user name)")
        default: facts.add("principal", "type \(type) \(principal)")
        }
        facts.app = isManagement ? (type == 2 ? principal : nil) : uuid(application)
        if isManagement { facts.add("issued by", "the management application") }
        if (1...3).contains(type) { facts.isAppToken = type != 3 }
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        let hex = Array(TokenBytes.hex(bytes))
        return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }
            .joined(separator: "-")
    }

    /// The time in a UUID of version 1 (RFC 9562, 5.1): units of 100 ns since 15 October 1582.
    private static func time(of id: [UInt8]) -> Int64? {
        guard id[6] >> 4 == 1 else { return nil }
        let order = [id[6] & 0xF, id[7], id[4], id[5], id[0], id[1], id[2], id[3]]
        let units = order.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return units / 10_000_000 - 12_219_292_800
    }
}

/// Easemob's dynamic token: Base64 of `dt-` and a JSON object. The object has the signature and all signed values
/// except the secret.
enum EasemobDynamicToken {
    private struct Content: Decodable {
        var signature: String
        var appkey: String
        var userId: String
        var curTime: JSONScalar
        var ttl: JSONScalar
    }

    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        let bytes = try TokenBytes.base64(token)
        let content = try TokenBytes.json(Array(bytes.dropFirst(3)), as: Content.self)
        var facts = TokenFacts(.easemobDynamic)
        facts.app = content.appkey
        facts.user = content.userId
        facts.isAppToken = false
        facts.issued = content.curTime.number
        facts.setExpiry(after: content.ttl.number ?? 0)
        if let time = content.curTime.number, TokenFacts.isMilliseconds(time) {
            facts.mistakes.append(
                .unit("curTime is in milliseconds; Easemob expects seconds (NIM expects milliseconds)"))
        }
        guard let secret = context.secret else { return facts }
        guard let client = context.clientID else {
            facts.signature = .notChecked("it also needs the client id")
            return facts
        }
        // The hash is SHA-256. Easemob's samples call the function `sha1`, but it computes SHA-256.
        let text =
            client + content.appkey + content.userId + content.curTime.text + content.ttl.text
            + String(decoding: secret, as: UTF8.self)
        facts.signature = TokenBytes.check(hex: content.signature, equals: TokenBytes.hash(text, SHA256.self))
        return facts
    }
}
