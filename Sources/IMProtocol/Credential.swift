/// The proof of a user's identity. A machine never has the secret itself. A client's machine has a reference, from
/// which its host finds the secret. A server's machine has the verdict of its host on the secret. So a recording
/// contains no secret.
public enum Credential: Hashable, Sendable, Codable {
    /// The name of a secret that the client's host stores; empty if the user gave no secret.
    case reference(String)
    /// The secret itself. It is only sent between two hosts. A machine that receives it refuses the login.
    case secret(String)
    /// The verdict of the server's host on the secret.
    case verdict(CredentialVerdict)

    private static let providedMark = "provided-"

    /// The name of the token that an app's token provider returns for one attempt to log in. Each attempt has its own
    /// token.
    public static func provided(to device: String, over connection: some BinaryInteger) -> String {
        "\(providedMark)\(connection)-to-\(device)"
    }

    /// True if ``provided(to:over:)`` returned this name.
    public static func isProvided(_ reference: String) -> Bool { reference.hasPrefix(providedMark) }
}

/// The result of checking a secret. The server's host checks it.
public struct CredentialVerdict: Hashable, Sendable, Codable {
    /// The kinds of result. Frames contain the raw values.
    public enum Finding: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// The secret proves that the sender is ``CredentialVerdict/user``.
        case valid = 1
        /// The secret was valid, but has expired.
        case expired = 2
        /// The secret proves nothing: it has a wrong signature, belongs to another application, or is not a token.
        case wrong = 3
        /// The request contains no secret.
        case missing = 4
        /// The secret was not checked, because too many wrong secrets were sent before.
        case tooOften = 5
        /// The secret was valid, but was issued before the account's tokens were revoked or its password was changed.
        case revoked = 6
    }

    /// The kind of result.
    public var finding: Finding
    /// The user for whom the secret was issued; empty if for no user.
    public var user: String
    /// The time when the secret expires, in milliseconds since 1970 by the server's clock; 0 if it does not expire.
    public var expiresAtMilliseconds: Int64
    /// The time when the secret was issued, in milliseconds since 1970; 0 if unknown.
    public var issuedAtMilliseconds: Int64
    /// The address from which the secret was sent, as a number that the host assigned to the address. 0 if the host has
    /// no address, or if no wrong secret was sent from it recently.
    public var origin: UInt32

    /// Creates a verdict.
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

    /// Reads a verdict. If an older version wrote it, it has no origin.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        finding = try values.decode(Finding.self, forKey: .finding)
        user = try values.decode(String.self, forKey: .user)
        expiresAtMilliseconds = try values.decode(Int64.self, forKey: .expiresAtMilliseconds)
        issuedAtMilliseconds = try values.decode(Int64.self, forKey: .issuedAtMilliseconds)
        origin = try values.decodeIfPresent(UInt32.self, forKey: .origin) ?? 0
    }
}
