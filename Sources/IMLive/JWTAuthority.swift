import Dispatch
import Foundation
import IMProtocol
import IMSimulation
import JWTKit
import SansIO

/// The live world's tokens: JWTs signed with HMAC-SHA256. A token names its user and the application it is for, and
/// expires.
public struct JWTAuthority: TokenAuthority {
    /// The signing key's length in bytes; HMAC-SHA256 wants at least as many as its output.
    public static let keyBytes = 32

    private struct Claims: JWTPayload {
        var sub: SubjectClaim
        var aud: Audience
        var iat: IssuedAtClaim?
        var exp: ExpirationClaim?
        var nbf: NotBeforeClaim?
        /// When the token was made, in milliseconds: `iat` counts in whole seconds, and a password may be changed and a
        /// new token made within one.
        var iatMilliseconds: Int64?

        private enum CodingKeys: String, CodingKey {
            case sub, aud, iat, exp, nbf
            case iatMilliseconds = "iat_ms"
        }

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Whom a token is for: one name or a list of names (RFC 7519, 4.1.3). The library's own claim stops the program at
    /// an empty list, which a peer could send.
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

    private let keys = JWTKeyCollection()
    private let key: HMACKey
    private let application: String
    private let lifetime: Interval?

    /// - Parameters:
    ///   - application: what tokens must be for.
    ///   - key: ``keyBytes`` random bytes.
    ///   - lifetime: of a token for which nobody says it; nil for an application whose tokens need not expire.
    public init(application: String, key: [UInt8], lifetime: Interval? = tokenLifetimeDefault) {
        self.application = application
        self.key = HMACKey(from: key)
        self.lifetime = lifetime
    }

    /// Fresh bytes for a key.
    public static func makeKey() -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }

    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let issued = Date(timeIntervalSince1970: Double(wallMilliseconds) / 1000)
        let claims = Claims(
            sub: SubjectClaim(value: user), aud: Audience(names: [application]), iat: IssuedAtClaim(value: issued),
            exp: (lifetime ?? self.lifetime).map {
                ExpirationClaim(value: issued.addingTimeInterval($0.inSeconds))
            }, iatMilliseconds: wallMilliseconds)
        // The library signs in its own tasks; whoever asks for a token waits for it, which takes microseconds and
        // holds no thread of the pool that those tasks run on.
        let made = Made()
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                await keys.add(hmac: key, digestAlgorithm: .sha256)
                made.result = .success(try await keys.sign(claims))
            } catch {
                made.result = .failure(error)
            }
            done.signal()
        }
        done.wait()
        return try made.result.get()
    }

    /// Written before the semaphore is raised, read after.
    private final class Made: @unchecked Sendable {
        var result: Result<String, any Error> = .failure(CancellationError())
    }

    public func claimedExpiry(_ secret: String) -> Int64 {
        struct Expiry: Decodable { var exp: Double }
        guard let claims = Self.part(1, of: secret, as: Expiry.self) else { return 0 }
        return Int64(exactly: (claims.exp * 1000).rounded()) ?? 0
    }

    /// What a part of a token says, verified or not.
    private static func part<Value: Decodable>(_ index: Int, of token: String, as type: Value.Type) -> Value? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = String(parts[index]).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    /// Whether the header demands that its reader understand something: there is no such thing that we do, so the token
    /// must be refused (RFC 7515, 4.1.11), whatever stands there.
    private static func demandsExtensions(_ token: String) -> Bool {
        struct Header: Decodable {
            let isCritical: Bool

            private enum CodingKeys: String, CodingKey { case crit }

            init(from decoder: any Decoder) throws {
                isCritical = try decoder.container(keyedBy: CodingKeys.self).contains(.crit)
            }
        }
        return part(0, of: token, as: Header.self)?.isCritical ?? true
    }

    public func judge(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        Task {
            await keys.add(hmac: key, digestAlgorithm: .sha256)
            // Every failure is the same to the peer: it learns nothing about the key or the token.
            guard let claims = try? await keys.verify(secret, as: Claims.self), claims.aud.names == [application],
                !Self.demandsExtensions(secret)
            else { return then(CredentialVerdict(.wrong)) }
            then(verdict(on: claims, wallMilliseconds: wallMilliseconds))
        }
    }

    private func verdict(on claims: Claims, wallMilliseconds: Int64) -> CredentialVerdict {
        /// A time beyond all calendars is none at all.
        func milliseconds(_ date: Date) -> Int64? { Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) }
        var expiry: Int64 = 0
        if let claim = claims.exp {
            guard let said = milliseconds(claim.value), said != 0 else { return CredentialVerdict(.wrong) }
            expiry = said
        } else if lifetime != nil {
            // Here tokens expire, and this one does not say when.
            return CredentialVerdict(.wrong)
        }
        if let claim = claims.nbf {
            // Its time has not come (RFC 7519, 4.1.5).
            guard let start = milliseconds(claim.value), start <= wallMilliseconds else {
                return CredentialVerdict(.wrong)
            }
        }
        let issue = claims.iatMilliseconds ?? claims.iat.flatMap { milliseconds($0.value) } ?? 0
        let isValid = expiry == 0 || expiry > wallMilliseconds
        return CredentialVerdict(
            isValid ? .valid : .expired, user: claims.sub.value, expiresAtMilliseconds: expiry,
            issuedAtMilliseconds: issue)
    }
}
