/// How a client proves its identity. A machine never holds a secret: on the client's side it holds a reference that its
/// host can resolve, on the server's side the verdict of its host. So a recording contains no secret.
public enum Credential: Hashable, Sendable, Codable {
    /// The name of a secret that the client's host keeps; empty if the user gave none.
    case reference(String)
    /// The secret itself, as it is sent between two hosts. A machine refuses it.
    case secret(String)
    /// The verdict of the server's host on the secret.
    case verdict(CredentialVerdict)

    private static let providedMark = "provided-"

    /// The name of the token that the app's provider returns for one attempt; each attempt has another token.
    public static func provided(to device: String, over connection: some BinaryInteger) -> String {
        "\(providedMark)\(connection)-to-\(device)"
    }

    /// True for a name from ``provided(to:over:)``.
    public static func isProvided(_ reference: String) -> Bool { reference.hasPrefix(providedMark) }
}

/// The result of checking a secret on a server's host.
public struct CredentialVerdict: Hashable, Sendable, Codable {
    /// The kinds of result. The numbers are those of the wire format.
    public enum Finding: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// The secret proves that the sender is ``CredentialVerdict/user``.
        case valid = 1
        /// The secret was valid once, but has expired.
        case expired = 2
        /// The secret proves nothing: a wrong signature, another application, not a token at all.
        case wrong = 3
        /// No secret was given.
        case missing = 4
        /// The secret was not checked: there were too many wrong ones before it.
        case tooOften = 5
        /// The secret was valid once; it was made before the account's tokens were revoked or its password was changed.
        case revoked = 6
    }

    /// The kind of result.
    public var finding: Finding
    /// The user that the secret is for; empty if it is for none.
    public var user: String
    /// When it expires, in milliseconds since 1970 by the server's clock; 0 if it does not.
    public var expiresAtMilliseconds: Int64
    /// When it was made, in milliseconds since 1970; 0 if unknown.
    public var issuedAtMilliseconds: Int64
    /// The address that the credential came from, as a number that the host gave it. 0 if the host has no address, or
    /// no wrong credential has come from it lately.
    public var origin: UInt32

    /// A verdict; by default for no user, without expiry and without a time of issue.
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
