/// The timers of a client; those that fall due together fire in this order.
package enum ClientTimer: Hashable, Comparable, Sendable, Codable {
    /// The attempt's time limit.
    case attempt
    case retry
    case heartbeat
    /// An unanswered heartbeat's time limit.
    case heartbeatAnswer
    /// The end of the time in which a broken link is kept secret (RTM-3).
    case grace
    case logout
    case request(UInt32)
    case message(UInt64)
    /// The time limit of the server's answer to a write, or to being listened to, over this link.
    case treeAnswer(UInt32)
    case tokenWarning
    case tokenExpiry
    /// The time limit of a call from outside a login.
    case accountCall

    /// Whether it means anything in a phase. One that does not is cancelled where that phase begins, in
    /// ``ClientMachine/enterUntold(_:)`` (C-4, C-5); what leads there need not think of it.
    func belongs(to phase: ClientMachine.Phase.Kind) -> Bool {
        switch self {
        case .attempt: phase.isAttempt
        case .retry: phase == .waiting
        // They begin with the login's acceptance and die with its link (C-12).
        case .heartbeat, .heartbeatAnswer: phase == .syncing || phase == .online
        case .grace: phase.isAttempt || phase == .waiting
        case .treeAnswer: phase == .online
        case .accountCall: !phase.hasLogin
        case .request, .message, .tokenWarning, .tokenExpiry: phase.hasLogin
        // Also where a logout was not to be, because its link broke (CHAT-11).
        case .logout: phase == .leaving
        }
    }

    /// The word for it where an app asks what is under way.
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
