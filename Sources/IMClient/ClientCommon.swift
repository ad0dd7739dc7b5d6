import IMProtocol
import SansIO

/// The state shared by all parts of a client: the calls, the messages, the server-side state of the login, and the
/// tree.
struct ClientCommon: Hashable, Sendable {
    let policy: ClientPolicy
    /// All timers are together, so that those that are due at the same time fire in one order.
    var timers = Deadlines<ClientTimer>()
    var nextRequest: UInt32 = 1

    init(policy: ClientPolicy) { self.policy = policy }

    mutating func makeRequestNumber() -> UInt32 {
        let number = nextRequest
        nextRequest = nextRequest == .max ? 1 : nextRequest + 1
        return number
    }
}

/// The parts of the system that a call can reach now.
enum CallReach {
    /// The call can reach the server, over the connection that has accepted the login.
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

    /// The status of a call that needs the server and cannot reach it.
    var refusal: Status {
        switch self {
        case .server, .login: .networkUnavailable
        case .nothing: .notLoggedIn
        }
    }
}

extension [ClientEffect] {
    /// Completes the command, if there is one.
    mutating func complete(_ command: CommandID?, _ status: Status) {
        if let command { append(.complete(command, Completion(status))) }
    }
}
