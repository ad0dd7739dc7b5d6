import IMProtocol
import SansIO

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
    private let lifetime: Interval?

    /// - Parameter lifetime: of a token for which nobody says it; nil for one that does not expire.
    public init(application: String, lifetime: Interval? = tokenLifetimeDefault) {
        self.application = application
        self.lifetime = lifetime
    }

    /// `simulated/APPLICATION/ISSUED/EXPIRY/USER`, the times in milliseconds since 1970; an expiry of 0 is none. Never
    /// throws.
    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let expiry = (lifetime ?? self.lifetime).map { wallMilliseconds + $0.inMilliseconds } ?? 0
        return "simulated/\(application)/\(wallMilliseconds)/\(expiry)/\(user)"
    }

    /// What the token says; 0 also for what is no token.
    public func claimedExpiry(_ secret: String) -> Int64 { Claims(secret)?.expiry ?? 0 }

    /// Calls `then` before it returns. A token is worth nothing for another application, and has expired at its expiry.
    public func judge(
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
        /// 0 for never.
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
