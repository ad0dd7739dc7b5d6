import IMProtocol
import IMSimulation
import SansIO

/// The live world's tokens: JWTs signed with HMAC-SHA256. A token names its user and the application it is for, and
/// expires.
public struct JWTAuthority: TokenAuthority {
    /// The signing key's length in bytes; HMAC-SHA256 wants at least as many as its output.
    public static let keyBytes = 32
    /// How far the clock of another maker of tokens may be ahead, in milliseconds.
    static let clockDifferenceMax: Int64 = 1000

    private struct Claims: Codable {
        var sub: String
        var aud: Audience
        // Seconds since 1970, with a fraction perhaps (RFC 7519, 2).
        var iat: Double?
        var exp: Double?
        var nbf: Double?
        /// When the token was made, in milliseconds: `iat` counts in whole seconds, and a password may be changed and a
        /// new token made within one.
        var iatMilliseconds: Int64?

        private enum CodingKeys: String, CodingKey {
            case sub, aud, iat, exp, nbf
            case iatMilliseconds = "iat_ms"
        }
    }

    /// Whom a token is for: one name or a list of names (RFC 7519, 4.1.3).
    private struct Audience: Codable {
        var names: [String]

        init(names: [String]) { self.names = names }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let name = try? container.decode(String.self) {
                names = [name]
            } else {
                names = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
        }
    }

    private let key: [UInt8]
    private let application: String
    private let lifetime: Interval?

    /// - Parameters:
    ///   - application: what tokens must be for.
    ///   - key: ``keyBytes`` random bytes.
    ///   - lifetime: of a token for which nobody says it; nil for an application whose tokens need not expire.
    public init(application: String, key: [UInt8], lifetime: Interval? = tokenLifetimeDefault) {
        self.application = application
        self.key = key
        self.lifetime = lifetime
    }

    /// Fresh bytes for a key.
    public static func makeKey() -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }

    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let issued = Double(wallMilliseconds) / 1000
        let claims = Claims(
            sub: user, aud: Audience(names: [application]), iat: issued,
            exp: (lifetime ?? self.lifetime).map { issued + $0.inSeconds }, iatMilliseconds: wallMilliseconds)
        return try JSONWebToken.signed(claims, key: key)
    }

    public func claimedExpiry(_ secret: String) -> Int64 {
        struct Expiry: Decodable { var exp: Double }
        return JSONWebToken(secret)?.claims(as: Expiry.self).flatMap { Self.milliseconds($0.exp) } ?? 0
    }

    /// Seconds as milliseconds; a time beyond all calendars is none at all.
    private static func milliseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1000).rounded()) }

    public func checkCredential(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        // Every failure is the same to the peer: it learns nothing about the key or the token.
        guard let token = JSONWebToken(secret), token.isSigned(with: key), let claims = token.claims(as: Claims.self),
            claims.aud.names == [application]
        else { return then(CredentialVerdict(.wrong)) }
        then(verdict(on: claims, wallMilliseconds: wallMilliseconds))
    }

    private func verdict(on claims: Claims, wallMilliseconds: Int64) -> CredentialVerdict {
        var expiry: Int64 = 0
        if let claim = claims.exp {
            guard let said = Self.milliseconds(claim), said != 0 else { return CredentialVerdict(.wrong) }
            expiry = said
        } else if lifetime != nil {
            // Here tokens expire, and this one does not say when.
            return CredentialVerdict(.wrong)
        }
        if let claim = claims.nbf {
            // Its time has not come (RFC 7519, 4.1.5).
            guard let start = Self.milliseconds(claim), start <= wallMilliseconds else {
                return CredentialVerdict(.wrong)
            }
        }
        let issue = claims.iatMilliseconds ?? claims.iat.flatMap(Self.milliseconds) ?? 0
        // One from the future would outlive a revocation. Other clocks may be a little ahead.
        guard issue &- Self.clockDifferenceMax <= wallMilliseconds else { return CredentialVerdict(.wrong) }
        let isValid = expiry == 0 || expiry > wallMilliseconds
        return CredentialVerdict(
            isValid ? .valid : .expired, user: claims.sub, expiresAtMilliseconds: expiry,
            issuedAtMilliseconds: issue)
    }
}
