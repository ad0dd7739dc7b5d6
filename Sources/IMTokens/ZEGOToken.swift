/// ZEGO's token04 and token03 (documented in zegoim/zego_server_assistant): the version, then Base64 of the expiry, the
/// initialization vector and encrypted JSON. The key of the encryption is the ServerSecret.
enum ZEGOToken {
    static func read(
        _ kind: TokenFacts.Kind, _ token: Substring, _ context: TokenContext
    ) throws(TokenError) -> TokenFacts {
        var facts = TokenFacts(kind)
        var reader = ByteReader(try TokenBytes.base64(token.dropFirst(2)))
        let expires = try reader.big(Int64.self)
        let iv = try reader.bytes(Int(reader.big(UInt16.self)))
        let encrypted = try reader.bytes(Int(reader.big(UInt16.self)))
        // Newer token builders append a byte with the cipher mode. Without this byte the mode is CBC.
        let isGCM = reader.rest.first == 1
        facts.expires = expires
        facts.add("cipher", isGCM ? "AES-GCM" : "AES-CBC")
        if TokenFacts.isMilliseconds(expires) {
            facts.mistakes.append(.unit("the expiry is in milliseconds; ZEGO expects seconds"))
        }
        guard let secret = context.secret else { return facts }
        facts.signature = .wrong
        guard let plain = TokenBytes.decrypted(encrypted, key: secret, iv: iv, isGCM: isGCM),
            let content = try? TokenBytes.json(plain, as: Content.self)
        else { return facts }
        facts.add(content)
        // The token contains its expiry twice: in clear text and encrypted. Both are equal only if the secret is right.
        if (content.expires ?? content.expires03)?.number == expires { facts.signature = .valid }
        return facts
    }

    /// The encrypted JSON. token03 has different member names, and contains the room and the privilege directly instead
    /// of in `payload`.
    fileprivate struct Content: Decodable {
        var app: JSONScalar?
        var user: JSONScalar?
        var issued: JSONScalar?
        var issued03: JSONScalar?
        var expires: JSONScalar?
        var expires03: JSONScalar?
        var payload: String?
        var room: JSONScalar?
        var privilege: Privilege?

        private enum CodingKeys: String, CodingKey {
            case app = "app_id"
            case user = "user_id"
            case issued = "ctime"
            case issued03 = "create_time"
            case expires = "expire"
            case expires03 = "expire_time"
            case payload
            case room = "room_id"
            case privilege
        }
    }

    fileprivate struct Privilege: Decodable {
        var login: JSONScalar?
        var publish: JSONScalar?

        private enum CodingKeys: String, CodingKey {
            case login = "1"
            case publish = "2"
        }
    }

    fileprivate struct Room: Decodable {
        var room: JSONScalar?
        var privilege: Privilege?
        var streams: [String]?

        private enum CodingKeys: String, CodingKey {
            case room = "room_id"
            case privilege
            case streams = "stream_id_list"
        }
    }
}

extension TokenFacts {
    fileprivate mutating func add(_ content: ZEGOToken.Content) {
        app = content.app?.text
        user = content.user?.text
        issued = (content.issued ?? content.issued03)?.number
        if let issued, Self.isMilliseconds(issued) {
            mistakes.append(.unit("ctime is in milliseconds; ZEGO expects seconds"))
        }
        guard let payload = content.payload, !payload.isEmpty else {
            if content.room != nil { add(ZEGOToken.Room(room: content.room, privilege: content.privilege)) }
            return
        }
        if let room = try? TokenBytes.json(Array(payload.utf8), as: ZEGOToken.Room.self) {
            add(room)
        } else {
            add("payload", "\(payload.utf8.count) bytes that are not the JSON of an RTC room")
        }
    }

    private mutating func add(_ room: ZEGOToken.Room) {
        var service = Service(name: "RTC room", channel: room.room?.text)
        let rights = [("login", room.privilege?.login), ("publish", room.privilege?.publish)]
        service.privileges = rights.filter { $0.1?.number == 1 }.map { Privilege(name: $0.0) }
        services.append(service)
        let denied = rights.filter { $0.1?.number == 0 }.map(\.0)
        if !denied.isEmpty { add("denied", denied.joined(separator: ", ")) }
        if let streams = room.streams, !streams.isEmpty { add("streams", streams.joined(separator: ", ")) }
    }
}
