/// Agora's AccessToken2 (documented in AgoraIO/Tools): `"007"`, then the signature and the signed content, compressed
/// with zlib, in Base64.
enum AgoraToken007 {
    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        var reader = ByteReader(try TokenBytes.inflated(try TokenBytes.base64(token.dropFirst(3))))
        let signature = try reader.littleString()
        let signed = Array(reader.rest)
        var facts = TokenFacts(.agora007)
        facts.app = try reader.littleText()
        let issued = try reader.little(UInt32.self)
        let lifetime = try reader.little(UInt32.self)
        let salt = try reader.little(UInt32.self)
        facts.issued = Int64(issued)
        facts.setExpiry(after: Int64(lifetime))
        if TokenFacts.isTime(Int64(lifetime)) {
            facts.mistakes.append(.unit("the expiry is a time; Agora expects the seconds after the issue"))
        }
        let count = try reader.little(UInt16.self)
        for _ in 0..<count {
            guard let service = try service(&reader, issued: Int64(issued), &facts) else { break }
            facts.services.append(service)
        }
        if let secret = context.secret {
            // The signing key is derived from the app certificate, the issue time and the salt.
            let first = TokenBytes.hmac(secret, key: littleBytes(issued))
            let key = TokenBytes.hmac(first, key: littleBytes(salt))
            facts.signature = TokenBytes.check(signature, equals: TokenBytes.hmac(signed, key: key))
        }
        return facts
    }

    private static func littleBytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// - Returns: nil for an unknown service. The services after it cannot be read, because its length is unknown.
    private static func service(
        _ reader: inout ByteReader, issued: Int64, _ facts: inout TokenFacts
    ) throws(TokenError) -> TokenFacts.Service? {
        let type = try reader.little(UInt16.self)
        var privileges: [(number: UInt16, expires: Int64)] = []
        for _ in 0..<(try reader.little(UInt16.self)) {
            privileges.append((try reader.little(UInt16.self), issued + Int64(try reader.little(UInt32.self))))
        }
        guard let kind = kinds.first(where: { $0.type == type }) else {
            facts.add("unknown service", "\(type); the services after it are not shown")
            return nil
        }
        var service = TokenFacts.Service(name: kind.name)
        service.privileges = privileges.map { number, expires in
            TokenFacts.Privilege(name: AgoraNames.name(number, in: kind.privileges), expires: expires)
        }
        if kind.hasChannel { service.channel = try reader.littleText() }
        if kind.hasUser {
            let user = try reader.littleText()
            service.user = user.isEmpty ? nil : user
        }
        if type == 5 {
            // A Chat token without a user is for the REST API (AgoraIO/Tools, ChatTokenBuilder2).
            facts.isAppToken = (facts.isAppToken ?? true) && service.user == nil
        }
        if type == 7 { facts.add("role", String(Int16(bitPattern: try reader.little(UInt16.self)))) }
        if type == 8 { try readResources(&reader, &facts) }
        return service
    }

    private struct Kind {
        var type: UInt16
        var name: String
        var hasChannel = false
        var hasUser = true
        var privileges: [String]
    }

    private static let kinds = [
        Kind(type: 1, name: "RTC", hasChannel: true, privileges: ["join", "audio", "video", "data"]),
        Kind(type: 2, name: "RTM", privileges: ["login"]),
        Kind(type: 3, name: "Streaming", hasChannel: true, privileges: ["mix", "raw"]),
        Kind(type: 4, name: "FPA", hasUser: false, privileges: ["login"]),
        Kind(type: 5, name: "Chat", privileges: ["user", "app"]),
        Kind(type: 6, name: "FCDN", hasChannel: true, privileges: ["publish", "play"]),
        Kind(type: 7, name: "APaaS", hasChannel: true, privileges: ["room user", "user", "app"]),
        Kind(type: 8, name: "RTM2", privileges: ["login"]),
    ]

    /// Reads the names of the message channels, stream channels and users to which an RTM2 token grants access.
    private static func readResources(_ reader: inout ByteReader, _ facts: inout TokenFacts) throws(TokenError) {
        let types = ["message", "stream", "group channels", "server groups", "users"]
        for _ in 0..<(try reader.little(UInt16.self)) {
            let type = Int(try reader.little(UInt16.self))
            for _ in 0..<(try reader.little(UInt16.self)) {
                let permission = try reader.little(UInt16.self)
                var names: [String] = []
                for _ in 0..<(try reader.little(UInt16.self)) { names.append(try reader.littleText()) }
                let right = permission == 0 ? "read" : permission == 1 ? "write" : "permission \(permission)"
                let name = types.indices.contains(type) ? types[type] : "resource \(type)"
                facts.add("\(right) \(name)", names.joined(separator: ", "))
            }
        }
    }
}

enum AgoraNames {
    /// - Parameter names: the names of the privileges with the numbers 1, 2 and so on.
    static func name(_ number: UInt16, in names: [String]) -> String {
        names.indices.contains(Int(number) - 1) ? names[Int(number) - 1] : "privilege \(number)"
    }
}
