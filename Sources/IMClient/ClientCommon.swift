import IMProtocol
import SansIO

/// The state that all parts of a client share. The parts are `ClientCalls`, `ClientMessages`, `Subscriptions` and
/// `ClientTree`.
struct ClientCommon: Hashable, Sendable {
    let policy: ClientPolicy
    /// The timers of all parts. They are in one value, so that timers with the same deadline fire in a defined order.
    var timers = Deadlines<ClientTimer>()
    /// The number of the next request.
    var nextRequest: UInt32 = 1

    init(policy: ClientPolicy) { self.policy = policy }

    mutating func makeRequestNumber() -> UInt32 {
        let number = nextRequest
        nextRequest = nextRequest == .max ? 1 : nextRequest + 1
        return number
    }
}

/// How far a call of the app can get now: to the server, or only to a login that is not connected.
enum CallReach {
    /// The server has accepted the login over this connection, so the call can be sent.
    case server(ConnectionID)
    /// There is a login, but the server has not accepted it over a connection.
    case login
    /// There is no login.
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

    /// The status for a call that requires the server, if it cannot be sent.
    var refusal: Status {
        switch self {
        case .server, .login: .networkUnavailable
        case .nothing: .notLoggedIn
        }
    }
}

extension [ClientEffect] {
    /// Completes a command with a status; does nothing if the command is nil.
    mutating func complete(_ command: CommandID?, _ status: Status) {
        if let command { append(.complete(command, Completion(status))) }
    }
}
