/// The timers of a client; those that are due at the same time fire in this order.
package enum ClientTimer: Hashable, Comparable, Sendable, Codable {
    /// The attempt's time limit.
    case attempt
    case retry
    case heartbeat
    /// An unanswered heartbeat's time limit.
    case heartbeatAnswer
    /// The end of the time in which a broken connection is hidden (RTM-3).
    case grace
    case logout
    case request(UInt32)
    case message(UInt64)
    /// The time limit of the server's answer to a write or a listen, over this connection.
    case treeAnswer(UInt32)
    case tokenWarning
    case tokenExpiry
    /// The time limit of an admin call without a login.
    case accountCall
    /// The time limit of a login by hand with all its retries (NIM V2).
    case login
    /// The end of the time in which an outage is short (RTM-10).
    case suspension

    /// True if the timer belongs to a phase. Otherwise ``ClientMachine/enterSilently(_:)`` cancels it at the start of
    /// that phase (C-4, C-5), so no code that leads there has to.
    func belongs(to phase: ClientMachine.Phase.Kind) -> Bool {
        switch self {
        case .attempt: phase.isAttempt
        case .retry: phase == .waiting
        // They start when the login is accepted and end with its connection (C-12).
        case .heartbeat, .heartbeatAnswer: phase == .syncing || phase == .online
        case .grace, .login, .suspension: phase.isAttempt || phase == .waiting
        case .treeAnswer: phase == .online
        case .accountCall: !phase.hasLogin
        case .request, .message, .tokenWarning, .tokenExpiry: phase.hasLogin
        // Also cancelled after a logout that failed because its connection broke (CHAT-11).
        case .logout: phase == .leaving
        }
    }

    /// Its name in the list of pending work.
    package var name: String {
        switch self {
        case .attempt: "attempt"
        case .retry: "retry"
        case .heartbeat: "heartbeat"
        case .heartbeatAnswer: "heartbeat-answer"
        case .grace: "grace"
        case .logout: "logout"
        case .request(let number): "request-\(number)"
        case .message(let number): "message-\(number)"
        case .treeAnswer(let number): "tree-answer-\(number)"
        case .tokenWarning: "token-warning"
        case .tokenExpiry: "token-expiry"
        case .accountCall: "account-call"
        case .login: "login"
        case .suspension: "suspension"
        }
    }
}

extension ClientMachine.Phase.Kind {
    fileprivate var isAttempt: Bool {
        switch self {
        case .linking, .authenticating, .syncing: true
        case .loggedOut, .waiting, .online, .leaving, .kicked, .tokenExpired, .paused: false
        }
    }

    fileprivate var hasLogin: Bool {
        switch self {
        case .linking, .authenticating, .syncing, .waiting, .online, .leaving, .paused: true
        case .loggedOut, .kicked, .tokenExpired: false
        }
    }
}
