import IMClient
import IMProfiles
import IMProtocol
import IMTree

/// Advice for the user after a failed command: which commands of the shell help.
struct StatusAdvice {
    let dialect: any Dialect

    /// The advice for a command that the client rejected; nil if the status needs no explanation.
    func text(for status: Status, of command: IMClient.ClientCommand) -> String? {
        switch status {
        case .unsupported:
            if dialect.clientPolicy.features.contains(.tree), isLogin(command) {
                return "\(dialect.title) has no login: the first 'sync' connects, for example 'sync on users/alice'"
            }
            return "\(dialect.title) does not support this \(CallKind(command).word); 'help rules' lists its rules"
        case .otherUserLoggedIn: return "another user is logged in here: 'logout' first"
        case .alreadyLoggedIn: return "the user is already logged in: 'logout' first, if you need a new login"
        case .loginInProgress: return "a login is in progress: wait for it, or end it with 'logout'"
        case .notLoggedIn: return isLogin(command) ? nil : "log in first: 'login alice'"
        case .kicked: return "a kick ended the login: 'login' starts a new one"
        case .networkUnavailable: return "there is no network: 'net up'"
        case .limitExceeded: return limit(of: command)
        case .rateLimited where CallKind(command) == .tree:
            return "a query returns at most \(TreeLimits.queryCountMax) children"
        default: return nil
        }
    }

    /// The text about the client's limit that a command exceeded; nil for commands without such a limit.
    private func limit(of command: IMClient.ClientCommand) -> String? {
        let policy = dialect.clientPolicy
        return switch CallKind(command) {
        case .join: "a client joins at most \(policy.channelCountMax) channels"
        case .watch: "a client watches at most \(policy.watchedCountMax) users"
        case .send, .channelSend: "at most \(policy.outboxCountMax) messages can wait for their answer"
        case .tree, .onDisconnect:
            "at most \(policy.outboxCountMax) writes or reads can wait for their answer, and there are at most "
                + "\(TreeLimit.listenersMax) listeners"
        default: nil
        }
    }

    /// The advice for a command that the embedded server rejected. The server's answer comes after the command has
    /// returned. Nil if the status needs no explanation.
    static func text(forAnswer status: Status, to command: IMClient.ClientCommand) -> String? {
        switch (status, command) {
        case (.notFound, .send(let user, _, isToChannel: false)):
            "there is no account '\(user)': 'server account add \(user)' or a login creates it"
        case (.notFound, .send(let channel, _, isToChannel: true)), (.notFound, .leave(let channel)):
            "join it first: 'join \(channel)'"
        case (.rateLimited, _), (.channelRateLimited, _):
            "too many requests: 'server policy' shows the limits"
        default: nil
        }
    }

    private func isLogin(_ command: IMClient.ClientCommand) -> Bool {
        [.login, .autologin, .offlineLogin].contains(CallKind(command))
    }
}
