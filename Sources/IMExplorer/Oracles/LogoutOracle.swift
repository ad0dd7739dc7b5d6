import IMClient
import IMProtocol
import IMSession

/// Who logs out over a link that carries its login says so: the server may have accepted a login that nobody has an
/// answer to, and would hold the user online until a time limit (C-2, P3).
struct LogoutOracle {
    /// The link over which a login was sent that has not been refused or ended.
    private var carrying: ConnectionID?
    /// The link of a login that was let go of without a word, by the effects of this very input.
    private var isUntold = false

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = LogoutOracle()
        case .input(let input):
            isUntold = false
            given(input)
        case .effect(.send(let link, let frame)):
            switch frame.body {
            case .login: carrying = link
            case .logout: carrying = nil
            default: break
            }
        case .effect(.closeLink(let link)) where link == carrying:
            carrying = nil
            isUntold = true
        case .effect(.transition(let change)):
            guard isUntold, case .loggedOut = change.to, change.reason == .logout else { return }
            faults.append(Violation(.logins, "C-2", "a logout over a link with a login is not said", change.from.name))
        default: break
        }
    }

    private mutating func given(_ input: NodeInput) {
        switch input {
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
