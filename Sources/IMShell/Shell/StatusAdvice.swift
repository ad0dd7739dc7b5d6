import IMClient
import IMDialects
import IMProtocol

/// What to do about a refusal, in the commands of the shell.
struct StatusAdvice {
    let dialect: any Dialect

    /// Nil where the code says it all.
    func text(for status: Status, of command: IMClient.ClientCommand) -> String? {
        switch status {
        case .unsupported:
            if dialect.clientPolicy.features.contains(.tree), isLogin(command) {
                return "\(dialect.title) has no login: the first 'sync' connects, as in 'sync on users/alice'"
            }
            return "\(dialect.title) has no \(CallKind(command).word) like this; 'help rules' says what it has"
        case .otherUserLoggedIn: return "another user is logged in here: 'logout' first"
        case .alreadyLoggedIn: return "it is logged in already: 'logout' first, or do without"
        case .loginInProgress: return "a login is under way: wait for it, or end it with 'logout'"
        case .notLoggedIn: return isLogin(command) ? nil : "log in first: 'login alice'"
        case .kicked: return "the login was ended by a kick: 'login' begins another"
        case .networkUnavailable: return "there is no network: 'net up'"
        default: return nil
        }
    }

    /// What to do about an answer of the embedded server, which comes when the command is long over; nil where the
    /// code says it all.
    static func text(forAnswer status: Status, to command: IMClient.ClientCommand) -> String? {
        switch (status, command) {
        case (.notFound, .send(let user, _, isToChannel: false)):
            "there is no account '\(user)': 'server account add \(user)' makes one, and so does a login"
        case (.notFound, .send(let channel, _, isToChannel: true)), (.notFound, .leave(let channel)):
            "join it first: 'join \(channel)'"
        case (.rateLimited, _), (.channelRateLimited, _):
            "that was too often: 'server policy' shows how often it may be"
        default: nil
        }
    }

    private func isLogin(_ command: IMClient.ClientCommand) -> Bool {
        switch CallKind(command) {
        case .login, .autologin, .offlineLogin: true
        default: false
        }
    }
}
