import IMProtocol
import IMSimulation
import SansIO

/// The live world's tokens: JWTs signed with HMAC-SHA256. A token contains its user, the application that accepts it,
/// and its expiry.
public struct JWTAuthority: TokenAuthority {
    /// The length of the signing key in bytes. HMAC-SHA256 requires at least the length of its output.
    public static let keyBytes = 32
    /// The maximum time in milliseconds by which the clock of another issuer may be ahead.
    static let clockDifferenceMax: Int64 = 1000

    private struct Claims: Codable {
        var sub: String
        var aud: Audience
        // Times are seconds since 1970, possibly with a fraction (RFC 7519, 2).
        var iat: Double?
        var exp: Double?
        var nbf: Double?
        /// The time of issue in milliseconds. Others write `iat` in whole seconds, which is not precise enough: within
        /// one second a password may be changed and a new token issued.
        var iatMilliseconds: Int64?

        private enum CodingKeys: String, CodingKey {
            case sub, aud, iat, exp, nbf
            case iatMilliseconds = "iat_ms"
        }
    }

    /// The recipients of a token: one name or a list of names (RFC 7519, 4.1.3).
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
    ///   - application: the audience that a token must have.
    ///   - key: ``keyBytes`` random bytes.
    ///   - lifetime: the lifetime of a token that is issued without one; nil if the application's tokens need no
    ///     expiry.
    public init(application: String, key: [UInt8], lifetime: Interval? = tokenLifetimeDefault) {
        self.application = application
        self.key = key
        self.lifetime = lifetime
    }

    /// Random bytes for a new key.
    public static func makeKey() -> [UInt8] { KeyedHash.randomBytes(keyBytes) }

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

    /// Seconds as milliseconds; nil for a time that does not fit.
    private static func milliseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1000).rounded()) }

    public func checkCredential(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        // Every failure gives the same verdict, so that the peer learns nothing about the key or the token.
        guard let token = JSONWebToken(secret), token.isSigned(with: key), let claims = token.claims(as: Claims.self),
            claims.aud.names == [application]
        else { return then(CredentialVerdict(.wrong)) }
        then(verdict(on: claims, wallMilliseconds: wallMilliseconds))
    }

    private func verdict(on claims: Claims, wallMilliseconds: Int64) -> CredentialVerdict {
        var expiry: Int64 = 0
        if let claim = claims.exp {
            guard let time = Self.milliseconds(claim), time != 0 else { return CredentialVerdict(.wrong) }
            expiry = time
        } else if lifetime != nil {
            // Tokens of this application must expire, and this one has no expiry.
            return CredentialVerdict(.wrong)
        }
        if let claim = claims.nbf {
            // The token is not valid yet (RFC 7519, 4.1.5).
            guard let start = Self.milliseconds(claim), start <= wallMilliseconds else {
                return CredentialVerdict(.wrong)
            }
        }
        let issue = claims.iatMilliseconds ?? claims.iat.flatMap(Self.milliseconds) ?? 0
        // A token whose issue is in the future would still be valid after a revocation. The clock of another issuer may
        // be slightly ahead.
        guard issue &- Self.clockDifferenceMax <= wallMilliseconds else { return CredentialVerdict(.wrong) }
        let isValid = expiry == 0 || expiry > wallMilliseconds
        return CredentialVerdict(
            isValid ? .valid : .expired, user: claims.sub, expiresAtMilliseconds: expiry,
            issuedAtMilliseconds: issue)
    }
}
