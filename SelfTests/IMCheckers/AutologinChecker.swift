import IMClient
import IMProtocol
import IMSession

/// A user who logged in manually, and whose login has not ended, may log in automatically, also in another process. A
/// failed logout does not end a login (NIM-3, CHAT-11).
struct AutologinChecker {
    /// The user who may certainly log in automatically.
    private var user: String?
    private var logins: [CommandID: (user: String, mode: LoginMode)] = [:]

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: logins.removeAll()
        case .input(.clientCommand(let id, .login(let requestedUser, _, let mode, _, _))):
            logins[id] = (requestedUser, mode)
        case .effect(.transition(let change)): if change.to.isOver { user = nil }
        case .effect(.notify(.autologinFailed)): user = nil
        case .effect(.notify(.autologinCompleted(let status))): if status != .ok { user = nil }
        case .effect(.complete(let id, let completion)):
            guard let (requestedUser, mode) = logins.removeValue(forKey: id) else { return }
            switch (mode, completion.status) {
            case (.manual, .ok): user = requestedUser
            case (.manual, .alreadyLoggedIn), (.manual, .loginInProgress), (.manual, .otherUserLoggedIn): break
            case (.manual, _): user = nil
            case (.automatic, .autologinNotAllowed), (.forced, .autologinNotAllowed):
                guard requestedUser == user else { return }
                violations.append(
                    Violation(.logins, "NIM-3", "an automatic login is refused that nothing forbids", requestedUser))
            default: break
            }
        default: break
        }
    }
}
