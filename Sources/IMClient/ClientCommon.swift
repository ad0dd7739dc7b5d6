import IMProtocol
import SansIO

/// What all parts of a client work with: the calls, the messages, what the login holds, and the tree.
struct ClientCommon: Hashable, Sendable {
    let policy: ClientPolicy
    /// All timers stand together, so that those that fall due together fire in one order.
    var timers = Deadlines<ClientTimer>()
    var nextRequest: UInt32 = 1

    init(policy: ClientPolicy) { self.policy = policy }

    mutating func makeRequestNumber() -> UInt32 {
        let number = nextRequest
        nextRequest = nextRequest == .max ? 1 : nextRequest + 1
        return number
    }
}

/// How far a call can get now.
enum CallReach {
    /// To the server, over the link that has accepted the login.
    case server(ConnectionID)
    /// No further than the login.
    case login
    case nothing

    var connection: ConnectionID? {
        switch self {
        case .server(let connection): connection
        case .login, .nothing: nil
        }
    }

    var hasLogin: Bool {
        switch self {
        case .server, .login: true
        case .nothing: false
        }
    }

    /// What a call that needs the server fails with.
    var refusal: Status {
        switch self {
        case .server, .login: .networkUnavailable
        case .nothing: .notLoggedIn
        }
    }
}

extension [ClientEffect] {
    /// Ends the command, if there is one that waits.
    mutating func complete(_ command: CommandID?, _ status: Status) {
        if let command { append(.complete(command, Completion(status))) }
    }
}
