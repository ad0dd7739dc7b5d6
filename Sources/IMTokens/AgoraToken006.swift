import Crypto

/// Agora's AccessToken (documented in AgoraIO/Tools): `"006"`, the app id, then Base64 of the signature, the checksums
/// of channel and user, and the signed message.
enum AgoraToken006 {
    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        let rest = token.dropFirst(3)
        guard rest.utf8.count > 32 else { throw TokenError("the token is cut off: it ends after the app id") }
        var facts = TokenFacts(.agora006)
        let app = String(rest.prefix(32))
        facts.app = app
        var reader = ByteReader(try TokenBytes.base64(rest.dropFirst(32)))
        let signature = try reader.littleString()
        let channelSum = try reader.little(UInt32.self)
        let userSum = try reader.little(UInt32.self)
        let message = try reader.littleString()
        var messageReader = ByteReader(message)
        _ = try messageReader.little(UInt32.self)
        facts.expires = Int64(try messageReader.little(UInt32.self))
        var isSignaling = false
        var service = TokenFacts.Service(name: "RTC")
        for _ in 0..<(try messageReader.little(UInt16.self)) {
            let number = try messageReader.little(UInt16.self)
            let expires = Int64(try messageReader.little(UInt32.self))
            isSignaling = isSignaling || number == signalingLogin
            let name = number == signalingLogin ? "login" : AgoraNames.name(number, in: privilegeNames)
            service.privileges.append(.init(name: name, expires: expires == 0 ? nil : expires))
            if expires > 0, !TokenFacts.isTime(expires) {
                facts.mistakes.append(.unit("the expiry of '\(name)' is a duration; Agora expects a time in seconds"))
            }
        }
        if isSignaling { service.name = "RTM" }
        facts.services = [service]
        // A token for RTM contains the checksum of the user where an RTC token has that of the channel.
        let (first, second) = isSignaling ? (context.user, nil) : (context.channel, context.user)
        check(channelSum, isSignaling ? .otherUser : .otherChannel, first, &facts)
        check(userSum, .otherUser, second, &facts)
        guard let secret = context.secret else { return facts }
        if let first = channelSum == 0 ? "" : first, let second = userSum == 0 ? "" : second {
            let content = Array((app + first + second).utf8) + message
            facts.signature = TokenBytes.check(signature, equals: TokenBytes.hmac(content, key: secret))
        } else {
            facts.signature = .notChecked("it also needs the user, and the channel of an RTC token")
        }
        return facts
    }

    private static let signalingLogin: UInt16 = 1000
    private static let privilegeNames = ["join", "audio", "video", "data"]

    /// Compares the checksum in the token with that of an expected name. The token contains no names, only their
    /// checksums. The checksum 0 means that the token is valid for every name.
    private static func check(_ sum: UInt32, _ mistake: TokenMistake, _ name: String?, _ facts: inout TokenFacts) {
        if sum != 0, let name, TokenBytes.crc32(name) != sum { facts.mistakes.append(mistake) }
    }
}

/// Agora's oldest kind of token, for Signaling: `1:APP:EXPIRY:MD5`.
enum AgoraSignalingToken {
    static func read(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, let expires = Int64(parts[2]) else {
            throw TokenError("the token is damaged: a Signaling token has the parts 1:APP:EXPIRY:MD5")
        }
        var facts = TokenFacts(.agoraSignaling)
        facts.app = String(parts[1])
        facts.expires = expires
        guard let secret = context.secret else { return facts }
        guard let user = context.user else {
            facts.signature = .notChecked("it also needs the user")
            return facts
        }
        let content = "\(user)\(parts[1])\(String(decoding: secret, as: UTF8.self))\(parts[2])"
        facts.signature = TokenBytes.check(
            hex: String(parts[3]), equals: TokenBytes.hash(content, Insecure.MD5.self))
        return facts
    }
}
