/// The timers of a client. Timers with the same deadline fire in the order of the cases.
package enum ClientTimer: Hashable, Comparable, Sendable, Codable {
    /// The time limit of a login attempt.
    case attempt
    /// The end of the delay before the next attempt.
    case retry
    /// The time of the next heartbeat.
    case heartbeat
    /// The time limit of the answer to a heartbeat.
    case heartbeatAnswer
    /// The end of the time for which a broken connection is hidden from the app (RTM-3).
    case grace
    /// The time limit of the answer to a logout.
    case logout
    /// The time limit of the answer to the request with this number.
    case request(UInt32)
    /// The time limit of the message with this number.
    case message(UInt64)
    /// The time limit of the answer to the write, the transaction or the listen with this request number.
    case treeAnswer(UInt32)
    /// The time at which the app is warned that the token will expire.
    case tokenWarning
    /// The time at which the token expires.
    case tokenExpiry
    /// The time limit of an admin call without a login.
    case accountCall
    /// The time limit of a manual login with all its retries (NIM V2).
    case login
    /// The time after which an outage counts as long, and the client is suspended (RTM-10).
    case suspension

    /// True if the timer may run in a phase. If not, ``ClientMachine/enterSilently(_:)`` cancels the timer when the
    /// phase starts, so that no other code has to cancel it (C-4, C-5).
    func belongs(to phase: ClientMachine.Phase.Kind) -> Bool {
        switch self {
        case .attempt: phase.isAttempt
        case .retry: phase == .waiting
        // Heartbeats start when the server accepts the login, and end with the connection (C-12).
        case .heartbeat, .heartbeatAnswer: phase == .syncing || phase == .online
        case .grace, .login, .suspension: phase.isAttempt || phase == .waiting
        case .treeAnswer: phase == .online
        case .accountCall: !phase.hasLogin
        case .request, .message, .tokenWarning, .tokenExpiry: phase.hasLogin
        // If the connection breaks during a logout that requires the server, the client reconnects, and this timer is
        // cancelled (CHAT-11).
        case .logout: phase == .leaving
        }
    }

    /// The timer's name in the answer to the query `pending`.
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
