import IMProtocol
import SansIO

/// Keeps the secrets of a world's clients and judges those that reach its server, so that no core and no file ever
/// holds one. Cores see the names that this desk gives to secrets, and the verdicts that it reaches.
///
/// Confined to the world's thread. What a token is, is the business of its ``TokenAuthority``.
public final class CredentialDesk {
    private let authority: any TokenAuthority
    private var secrets: [String: String] = [:]
    private var givenCount = 0
    /// Whether a user who brings no token gets one made, for playing in an embedded world.
    public let makesTokens: Bool

    public init(authority: any TokenAuthority, makesTokens: Bool) {
        self.authority = authority
        self.makesTokens = makesTokens
    }

    /// Takes a secret in and returns its name.
    public func keep(_ secret: String) -> String {
        givenCount += 1
        let reference = "given-\(givenCount)"
        secrets[reference] = secret
        return reference
    }

    /// The name of the token that the desk itself makes for a user; empty when it makes none.
    public func reference(for user: String) -> String {
        makesTokens ? "token-of-\(user)" : ""
    }

    /// Makes a token for a user.
    ///
    /// - Parameters:
    ///   - lifetime: how long it is valid; nil for the authority's own idea.
    ///   - wallMilliseconds: the server's clock, milliseconds since 1970.
    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        try authority.mint(user: user, lifetime: lifetime, wallMilliseconds: wallMilliseconds)
    }

    /// Sees to it that the token of that name is there, if it is one that the desk makes.
    public func prepare(_ reference: String, user: String, wallMilliseconds: Int64) throws {
        guard makesTokens, secrets[reference] == nil, reference == self.reference(for: user) else { return }
        secrets[reference] = try mint(user: user, lifetime: nil, wallMilliseconds: wallMilliseconds)
    }

    /// The secret of that name, nil for a name it does not know.
    public func secret(of reference: String) -> String? {
        secrets[reference]
    }

    /// When the token of that name says that it expires, in milliseconds since 1970, for its bearer to see without any
    /// key; 0 when it says nothing.
    public func expiry(of reference: String) -> Int64 {
        secrets[reference].map(authority.claimedExpiry) ?? 0
    }

    /// What a secret proves. The answer comes at once or later, on any thread.
    func judge(
        _ credential: Credential, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        switch credential {
        case .reference(let name):
            judge(secrets[name] ?? "", wallMilliseconds: wallMilliseconds, then: then)
        case .secret(let secret): judge(secret, wallMilliseconds: wallMilliseconds, then: then)
        case .verdict:
            // A peer does not get to say what its credential is worth.
            then(CredentialVerdict(.wrong))
        }
    }

    private func judge(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        guard !secret.isEmpty else { return then(CredentialVerdict(.missing)) }
        authority.judge(secret, wallMilliseconds: wallMilliseconds, then: then)
    }
}

/// Makes tokens and says what they are worth.
public protocol TokenAuthority: Sendable {
    /// - Throws: an error that says why no token can be made.
    func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String
    /// When a token says that it expires, in milliseconds since 1970; 0 when it says nothing. Nothing is verified.
    func claimedExpiry(_ secret: String) -> Int64
    /// Calls `then` exactly once, at once or later, on any thread.
    func judge(_ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void)
}

/// The lifetime of a token when nobody says otherwise.
public let tokenLifetimeDefault = Interval.seconds(24 * 3600)

/// The simulated world's tokens: they say in plain words what they are, because nobody there forges any.
public struct PlainTokenAuthority: TokenAuthority {
    private let application: String

    public init(application: String) {
        self.application = application
    }

    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let expiry = wallMilliseconds + (lifetime ?? tokenLifetimeDefault).inMilliseconds
        return "simulated/\(application)/\(expiry)/\(user)"
    }

    public func claimedExpiry(_ secret: String) -> Int64 {
        let parts = secret.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? Int64(parts[2]) ?? 0 : 0
    }

    public func judge(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        let parts = secret.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "simulated", parts[1] == application, let expiry = Int64(parts[2]) else {
            return then(CredentialVerdict(.wrong))
        }
        then(
            CredentialVerdict(
                expiry > wallMilliseconds ? .valid : .expired, user: String(parts[3]),
                expiresAtMilliseconds: expiry))
    }
}
