import Dispatch
import Foundation
import IMProtocol
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
        var iat: IssuedAtClaim
        var exp: ExpirationClaim

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

    /// - Parameters:
    ///   - application: what tokens must be for.
    ///   - key: ``keyBytes`` random bytes.
    public init(application: String, key: [UInt8]) {
        self.application = application
        self.key = HMACKey(from: key)
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
            exp: ExpirationClaim(
                value: issued.addingTimeInterval((lifetime ?? tokenLifetimeDefault).inSeconds)))
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
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return 0 }
        var base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        struct Expiry: Decodable { var exp: Double }
        guard let payload = Data(base64Encoded: base64),
            let claims = try? JSONDecoder().decode(Expiry.self, from: payload)
        else { return 0 }
        let milliseconds = (claims.exp * 1000).rounded()
        return Int64(exactly: milliseconds) ?? 0
    }

    public func judge(
        _ secret: String, wallMilliseconds: Int64, then: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        Task {
            await keys.add(hmac: key, digestAlgorithm: .sha256)
            // Every failure is the same to the peer: it learns nothing about the key or the token.
            guard let claims = try? await keys.verify(secret, as: Claims.self), claims.aud.names == [application]
            else { return then(CredentialVerdict(.wrong)) }
            // A time beyond all calendars is none at all.
            guard let expiry = Int64(exactly: (claims.exp.value.timeIntervalSince1970 * 1000).rounded()) else {
                return then(CredentialVerdict(.wrong))
            }
            then(
                CredentialVerdict(
                    expiry > wallMilliseconds ? .valid : .expired, user: claims.sub.value,
                    expiresAtMilliseconds: expiry))
        }
    }
}
