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
