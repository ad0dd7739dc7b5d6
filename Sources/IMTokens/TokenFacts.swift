/// The content of a token, the result of checking it, and its mistakes. This value never contains the token itself, the
/// bytes of its signature or a secret.
public struct TokenFacts: Equatable, Sendable {
    /// A kind of token: the vendor and the version of its format.
    public enum Kind: String, CaseIterable, Sendable {
        case agora007 = "agora-007"
        case agora006 = "agora-006"
        case agoraSignaling = "agora-signaling"
        case zego04 = "zego-04"
        case zego03 = "zego-03"
        case easemob
        case easemobDynamic = "easemob-dynamic"
        case nimDynamic = "nim-dynamic"
        case jwt
        case userSig = "usersig"

        /// The vendor's name for this kind of token.
        public var title: String {
            switch self {
            case .agora007: "Agora AccessToken2 (007)"
            case .agora006: "Agora AccessToken (006)"
            case .agoraSignaling: "Agora Signaling token"
            case .zego04: "ZEGO token04"
            case .zego03: "ZEGO token03"
            case .easemob: "Easemob access token (YWMt)"
            case .easemobDynamic: "Easemob dynamic token"
            case .nimDynamic: "NIM dynamic token"
            case .jwt: "JSON Web Token"
            case .userSig: "Tencent UserSig"
            }
        }
    }

    /// The result of checking the signature.
    public enum Signature: Equatable, Sendable {
        /// The signature could not be checked. The text names the missing value; nil if only the secret is missing.
        case notChecked(String?)
        case valid
        case wrong
    }

    /// A named value that only some kinds of token contain.
    public struct Detail: Equatable, Sendable {
        /// A name in lower case. It is displayed and also used in JSON.
        public var name: String
        /// A text from the token. It can contain any character.
        public var value: String
    }

    /// A service to which the token grants access.
    public struct Service: Equatable, Sendable {
        /// The vendor's name of the service, or the number of an unknown service.
        public var name: String
        /// The user who may use this service; nil if the service has no users or the token is for every user.
        public var user: String?
        /// The channel or room to which the token is limited; nil if there is none.
        public var channel: String?
        /// The user's rights in this service.
        public var privileges: [Privilege] = []
    }

    /// A right that the token grants in a service.
    public struct Privilege: Equatable, Sendable {
        /// The vendor's name of the privilege, or the number of an unknown privilege.
        public var name: String
        /// The expiry in Unix seconds; nil if the privilege expires together with the token.
        public var expires: Int64?
    }

    /// The kind of the token.
    public var kind: Kind
    /// The app id, app key or application UUID.
    public var app: String?
    /// The user; nil if the token does not contain a user name.
    public var user: String?
    /// True if the token is for the REST API, false if it is for the login of a user; nil if the token does not show
    /// this.
    public var isAppToken: Bool?
    /// The time of issue in Unix seconds, as the service interprets the number in the token; nil if it has none.
    public var issued: Int64?
    /// The expiry in Unix seconds, as the service interprets the number in the token; nil if it has none.
    public var expires: Int64?
    /// The services to which the token grants access, in the order of the token.
    public var services: [Service] = []
    /// The values for which there is no property.
    public var details: [Detail] = []
    /// The result of checking the signature.
    public var signature = Signature.notChecked(nil)
    /// The mistakes that were found.
    public var mistakes: [TokenMistake] = []

    init(_ kind: Kind) { self.kind = kind }

    mutating func add(_ name: String, _ value: String?) {
        if let value { details.append(Detail(name: name, value: value)) }
    }

    mutating func setExpiry(after seconds: Int64) { expires = issued.map { $0.addingClamped(seconds) } }
}

/// The expected values with which a token is compared. All but the time are optional.
public struct TokenContext: Sendable {
    /// A login of a session, with its time.
    public struct Login: Equatable, Sendable {
        /// The number of the login's event in the session.
        public var event: UInt64
        /// The time of the login, in Unix seconds.
        public var time: Int64
        /// The user who logs in.
        public var user: String

        /// - Parameters:
        ///   - event: the number of the login's event in the session.
        ///   - time: the time of the login, in Unix seconds.
        ///   - user: the user who logs in.
        public init(event: UInt64, time: Int64, user: String) {
            (self.event, self.time, self.user) = (event, time, user)
        }
    }

    /// The time of the check, in Unix seconds.
    public var now: Int64
    /// The developer's secret, with which tokens are signed. Vendors call it app certificate, ServerSecret, app secret,
    /// client secret or key.
    public var secret: [UInt8]?
    /// The app id or app key that the app uses.
    public var app: String?
    /// The user who will log in with the token.
    public var user: String?
    /// The channel that the user will join with the token.
    public var channel: String?
    /// The client id of an Easemob app. The signature of an Easemob dynamic token contains it.
    public var clientID: String?
    /// The logins of a session; nil if there is no session.
    public var logins: [Login]?

    /// - Parameter now: the time of the check, in Unix seconds.
    public init(now: Int64) { self.now = now }
}

/// The reason why a text cannot be read as a token. It never contains the text.
public struct TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, in one line.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension TokenFacts {
    /// The maximum length of a token, in bytes. A longer text is rejected.
    public static let bytesMax = 64 << 10

    /// Reads a token, checks its signature and finds the mistakes.
    ///
    /// - Throws: ``TokenError`` for a text that is not a token of a known kind, or is damaged.
    public init(reading text: String, _ context: TokenContext) throws(TokenError) {
        guard text.utf8.count <= Self.bytesMax else { throw TokenError("the text is longer than a token can be") }
        let token = text[...].trimmed
        guard !token.isEmpty else { throw TokenError("there is no token: the text is empty") }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TokenError("not a token: it contains a space, a line break or a character that is not ASCII")
        }
        self = try Self.parse(token, context)
        if signature == .wrong { mistakes.append(.wrongSignature) }
        findMistakes(context)
    }

    /// True if the text has at least 20 bytes, and begins like a token of a known kind or can be read as one.
    public static func looksLikeToken(_ text: String) -> Bool {
        guard text.utf8.count >= 20 else { return false }
        if prefixes.contains(where: text.hasPrefix) { return true }
        return (try? TokenFacts(reading: text, TokenContext(now: 0))) != nil
    }

    private static let prefixes = ["007eJ", "006", "YWMt", "ZHQt", "eJ", "eyJ", "04AAAA", "03AAAA"]

    private static func parse(_ token: Substring, _ context: TokenContext) throws(TokenError) -> TokenFacts {
        if token.hasPrefix("007") { return try AgoraToken007.read(token, context) }
        if token.hasPrefix("006") { return try AgoraToken006.read(token, context) }
        if token.hasPrefix("1:") { return try AgoraSignalingToken.read(token, context) }
        if token.hasPrefix("04") { return try ZEGOToken.read(.zego04, token, context) }
        if token.hasPrefix("03") { return try ZEGOToken.read(.zego03, token, context) }
        if token.hasPrefix("YWMt") { return try EasemobToken.read(token) }
        if token.hasPrefix("ZHQt") { return try EasemobDynamicToken.read(token, context) }
        if token.utf8.contains(UInt8(ascii: ".")) { return try JWTToken.read(token, context) }
        // The Base64 texts of the usual first byte of zlib data.
        if token.hasPrefix("eJ") || token.hasPrefix("eN") || token.hasPrefix("eA") {
            return try UserSigToken.read(token, context)
        }
        return try NIMDynamicToken.read(token, context)
    }
}

extension Substring {
    /// The text without spaces and line breaks at both ends.
    fileprivate var trimmed: Substring {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
