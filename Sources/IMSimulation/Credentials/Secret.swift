import IMProtocol

/// A token or a password. Only a host has it; a client's commands and machine refer to it by name.
enum Secret: Hashable, Sendable {
    case token(String)
    case password(String)

    /// The prefix of a password on the wire between two hosts. No token that a server makes begins with this prefix. A
    /// token that begins with it is treated as a password.
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
    /// The user that the sender claimed to be.
    var user = ""
    /// The rate limit's ticket for the check of a password; nil if no password was checked.
    var ticket: CredentialRateLimiter.Ticket?
    /// The sender of a token; nil for a password. The rate limit counts only wrong tokens, so it applies after the
    /// check and never delays a right token.
    var bearerKey: CredentialRateLimiter.BearerKey?
    /// The version of the user's password that was checked; nil for a token.
    var passwordVersion: UInt64?
}
