/// How a client proves who it is. A core never holds a secret: on the client's side it holds a reference that its host
/// can redeem, on the server's side the verdict that its host reached. So a recording has no secret in it.
public enum Credential: Hashable, Sendable, Codable {
    /// Names a secret that the client's host keeps; empty when the user gave none.
    case reference(String)
    /// The secret itself, as it travels between two hosts. A core refuses it.
    case secret(String)
    /// What the server's host made of the secret.
    case verdict(CredentialVerdict)
}

/// What a server's host found out about a secret.
public struct CredentialVerdict: Hashable, Sendable, Codable {
    /// What a secret proves. The numbers are those of the wire format.
    public enum Finding: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// It proves that the sender is ``CredentialVerdict/user``.
        case valid = 1
        /// It did so once, but its time is over.
        case expired = 2
        /// It proves nothing: a wrong signature, another application, not a token at all.
        case wrong = 3
        /// None was given.
        case missing = 4
        /// It was not looked at: there were too many wrong ones before it.
        case tooOften = 5
        /// It did so once; it was made before the account's tokens were revoked or its password was changed.
        case revoked = 6
    }

    /// What the secret proves.
    public var finding: Finding
    /// The user it speaks for; empty when it speaks for nobody.
    public var user: String
    /// When it expires, in milliseconds since 1970 by the server's clock; 0 when it does not.
    public var expiresAtMilliseconds: Int64
    /// When it was made, in milliseconds since 1970; 0 when it does not say.
    public var issuedAtMilliseconds: Int64
    /// Which address the credential came from, as a number that the host gave it. 0 where the host knows no address, or
    /// no wrong credential has come from it lately.
    public var origin: UInt32

    /// A verdict; without a user it speaks for nobody, with the times left at 0 it neither expires nor says its age.
    public init(
        _ finding: Finding, user: String = "", expiresAtMilliseconds: Int64 = 0, issuedAtMilliseconds: Int64 = 0,
        origin: UInt32 = 0
    ) {
        self.finding = finding
        self.user = user
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.issuedAtMilliseconds = issuedAtMilliseconds
        self.origin = origin
    }

    private enum CodingKeys: String, CodingKey {
        case finding, user, expiresAtMilliseconds, issuedAtMilliseconds, origin
    }

    /// Reads a verdict; an older version had no origin.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        finding = try values.decode(Finding.self, forKey: .finding)
        user = try values.decode(String.self, forKey: .user)
        expiresAtMilliseconds = try values.decode(Int64.self, forKey: .expiresAtMilliseconds)
        issuedAtMilliseconds = try values.decode(Int64.self, forKey: .issuedAtMilliseconds)
        origin = try values.decodeIfPresent(UInt32.self, forKey: .origin) ?? 0
    }
}
