import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The server notifies a login that the operator ends at once, on each connection that carries it (C-7, CHAT-10).
struct OperatorKickChecker {
    private let policy: ServerPolicy
    /// Connections that were not notified within the current input.
    private var due: Set<ConnectionID> = []

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: due.removeAll()
        case .input(let input):
            if let connection = due.min() {
                let detail = "connection \(connection.rawValue)"
                violations.append(Violation(.kicks, "C-7", "a login that the operator ended is not told", detail))
            }
            due.removeAll()
            guard case .serverCommand(_, let command) = input else { return }
            switch command {
            case .banAccount(let user), .deleteAccount(let user): end(user, nil, trace)
            case .kick(let user, let device): end(user, device, trace)
            case .passwordChanged(let user), .revokeTokens(let user):
                if policy.passwordChangeEndsLogins { end(user, nil, trace) }
            default: break
            }
        case .effect(.send(let connection, let frame)):
            if case .kicked = frame.body { due.remove(connection) }
        case .effect(.complete(_, let completion)): if completion.status != .ok { due.removeAll() }
        default: break
        }
    }

    private mutating func end(_ user: String, _ device: String?, _ trace: ServerTrace) {
        for (connection, accepted) in trace.carried where accepted.slot.user == user {
            guard device == nil || accepted.slot.device == device, trace.newest[accepted.slot] == connection,
                !trace.over.contains(connection)
            else { continue }
            due.insert(connection)
        }
    }
}
