import IMClient
import IMProtocol
import IMSession
import SansIO

/// A client that logs out over a connection with its login sends a logout. Otherwise the server, which may have
/// accepted a login whose answer got lost, would keep the user online until a time limit (C-2, P3).
struct LogoutChecker {
    private let policy: ClientPolicy
    /// The logout that only the server can complete (CHAT-11).
    private var asking: CommandID?
    /// The logouts that need no server: those that leave push bound, and those of a user without data on this device
    /// (CHAT-11). If logouts only notify the server, all of them (NIM-10).
    private var free: Set<CommandID> = []
    /// True if the user's data is open, also before the server has accepted the login.
    private var isDataOpen = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    /// The connection over which a login was sent that has not been refused or ended.
    private var carrying: ConnectionID?
    /// True if the current input's effects closed the connection of a login without a logout.
    private var isClosedSilently = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = LogoutChecker(policy)
        case .input(let input):
            isClosedSilently = false
            handleInput(input, trace.state)
        case .effect(.data(let request)):
            switch request.action {
            case .open: isDataOpen = true
            case .close: isDataOpen = false
            case .call, .apply, .tree: break
            }
        case .effect(.send(let link, let frame)):
            switch frame.body {
            case .login: carrying = link
            case .logout: carrying = nil
            default: break
            }
        case .effect(.closeLink(let link)) where link == carrying:
            carrying = nil
            isClosedSilently = true
        case .effect(.complete(let id, let completion)):
            if free.remove(id) != nil, completion.status != .cancelled, trace.state != .loggedOut {
                violations.append(
                    Violation(.logins, "CHAT-11", "still logged in behind a logout that needs nobody", trace.state.name)
                )
            }
            guard id == asking else { return }
            asking = nil
            guard completion.status == .ok else { return }
            violations.append(Violation(.logins, "CHAT-11", "logged out though the server was not told"))
        case .effect(.transition(let change)):
            // Other ends of the login also end the logout.
            if [.kicked, .tokenExpired].contains(change.to) { asking = nil }
            // After a kick the SDK may log itself out without notifying the server (CHAT-10).
            guard isClosedSilently, case .loggedOut = change.to, change.reason == .logout, change.from != .kicked else {
                return
            }
            violations.append(
                Violation(.logins, "C-2", "a logout over a link with a login is not said", change.from.name))
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ state: ClientState) {
        switch input {
        case .clientCommand(let id, .logout(false)) where policy.logoutNeedsServer:
            let isTrying = [.connecting, .reconnecting].contains(state)
            if state == .online || isTrying && isDataOpen { asking = id }
            if isTrying, !isDataOpen { free.insert(id) }
        case .clientCommand(let id, .logout): free.insert(id)
        case .frame(_, let frame) where frame.body.endsLogout: asking = nil
        case .linkClosed(let link, _) where link == carrying, .linkFailed(let link, _) where link == carrying:
            carrying = nil
        case .frame(let link, let frame) where link == carrying:
            switch frame.body {
            case .loginAck(let reply): if reply.status != .ok { carrying = nil }
            case .kicked, .goodbye: carrying = nil
            default: break
            }
        default: break
        }
    }
}

extension FrameBody {
    /// True if the server reports that the login ended, which completes a logout.
    fileprivate var endsLogout: Bool {
        switch self {
        case .logoutAck, .kicked, .tokenNotice(true, _): true
        default: false
        }
    }
}
