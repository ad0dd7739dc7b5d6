import IMProtocol

/// A secret in the hands of a host: what a credential stands for.
enum Secret: Hashable, Sendable {
    case token(String)
    case password(String)

    /// Marks a password on its way between two hosts. No token that a server makes begins so; whoever writes it before
    /// a password of their own has given a password.
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

/// What a secret was found to be worth when it was looked at.
package struct Judgement: Sendable {
    var verdict: CredentialVerdict
    /// When it was looked at.
    var wallMilliseconds: Int64
    /// Whom its bearer said it speaks for.
    var user = ""
    /// Nil where nothing was looked at.
    var ticket: GuessLimit.Ticket?
    /// Who showed a token; nil for anything else. A right token is no guess, so no limit holds it up.
    var guesser: GuessLimit.Guesser?
    /// Which of the user's passwords was looked at; nil for a token.
    var passwordVersion: UInt64?
}
