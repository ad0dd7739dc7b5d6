import IMProtocol

/// A secret that a host has; a credential names it.
enum Secret: Hashable, Sendable {
    case token(String)
    case password(String)

    /// Marks a password on the wire between two hosts. No token that a server makes begins with it; a bearer who writes
    /// it before a password sends a password.
    private static let passwordMark = "password:"

    init(wireText: String) {
        if wireText.hasPrefix(Self.passwordMark) {
            self = .password(String(wireText.dropFirst(Self.passwordMark.count)))
        } else {
            self = .token(wireText)
        }
    }

    var wireText: String {
        switch self {
        case .token(let token): token
        case .password(let password): Self.passwordMark + password
        }
    }
}

/// The result of checking a credential.
package struct CredentialCheck: Sendable {
    var verdict: CredentialVerdict
    /// The time of the check.
    var wallMilliseconds: Int64
    /// The user that its bearer claimed.
    var user = ""
    /// Nil if no password was checked.
    var ticket: CredentialRateLimiter.Ticket?
    /// The bearer of a token; nil for anything else. A right token is no guess, so no limit delays it.
    var bearerKey: CredentialRateLimiter.BearerKey?
    /// The version of the user's password that was checked; nil for a token.
    var passwordVersion: UInt64?
}
