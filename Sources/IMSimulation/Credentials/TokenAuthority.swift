import IMProfiles
import IMProtocol
import SansIO

/// Makes and checks tokens.
public protocol TokenAuthority: Sendable {
    /// - Throws: an error with the reason why no token can be made.
    func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String
    /// The expiry that a token claims, in milliseconds since 1970; 0 if it claims none. Nothing is verified.
    func claimedExpiry(_ secret: String) -> Int64
    /// Checks a token, and calls `then` exactly once, immediately or later, on any thread.
    func checkCredential(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void)
}

/// The default lifetime of a token.
public let tokenLifetimeDefault = Interval.seconds(24 * 3600)

/// Makes and checks the tokens of a simulated world. They are in plain text, because nobody forges tokens there.
public struct PlainTokenAuthority: TokenAuthority {
    private let application: String
    private let lifetime: Interval?

    /// - Parameters:
    ///   - application: the profile. All versions of its SDK count as one application.
    ///   - lifetime: the lifetime of a token that is minted without one; nil for one that does not expire.
    public init(application: String, lifetime: Interval? = tokenLifetimeDefault) {
        self.application = ProfileVersion.base(of: application)
        self.lifetime = lifetime
    }

    /// Makes a token `simulated/APPLICATION/ISSUED/EXPIRY/USER`. Both times are in milliseconds since 1970; an expiry
    /// of 0 means that the token does not expire. Never throws.
    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let expiry = (lifetime ?? self.lifetime).map { wallMilliseconds + $0.inMilliseconds } ?? 0
        return "simulated/\(application)/\(wallMilliseconds)/\(expiry)/\(user)"
    }

    /// The expiry that the token claims; 0 for a text that is not a token.
    public func claimedExpiry(_ secret: String) -> Int64 { Claims(secret)?.expiry ?? 0 }

    /// Checks a token, and calls `then` before it returns. A token of another application is wrong. A token has expired
    /// from its expiry time on.
    public func checkCredential(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        guard let claims = Claims(secret), claims.application == application else {
            return then(CredentialVerdict(.wrong))
        }
        let isValid = claims.expiry == 0 || claims.expiry > wallMilliseconds
        then(
            CredentialVerdict(
                isValid ? .valid : .expired, user: claims.user, expiresAtMilliseconds: claims.expiry,
                issuedAtMilliseconds: claims.issue))
    }

    private struct Claims {
        var application: String
        var issue: Int64
        /// In milliseconds since 1970; 0 for a token that does not expire.
        var expiry: Int64
        var user: String

        init?(_ secret: String) {
            let parts = secret.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0] == "simulated", let issue = Int64(parts[2]), let expiry = Int64(parts[3])
            else { return nil }
            application = String(parts[1])
            self.issue = issue
            self.expiry = expiry
            user = String(parts[4])
        }
    }
}
