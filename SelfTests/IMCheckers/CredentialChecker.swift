import IMClient
import IMProtocol
import IMSession
import SansIO

/// A client presents the credential that the app set last, or the one that the device stores for that user. It never
/// presents a credential that the server refused, nor another user's (P11, C-11).
struct CredentialChecker {
    /// The credential from the command that started the login, or from a later accepted renewal; nil if nobody is
    /// logged in.
    private var current: String?
    /// The credential of a login that may replace the present one.
    private var next: String?
    private var remembered: (user: String, credential: String)?
    private var renewals: [CommandID: String] = [:]
    /// True if the server has accepted the login. The device stores the credential only then.
    private var isAccepted = false
    /// The credential of the login in progress.
    private var shown: String?

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start(let start):
            self = CredentialChecker()
            if case .client(_, _, let local, _, _, _) = start.body { remember(local) }
        case .effect(.persist(let local)): remember(local)
        case .input(.clientCommand(_, .login(let user, let credential, _, _, _))):
            let known = remembered?.user == user ? remembered?.credential ?? "" : ""
            next = credential.isEmpty ? known : credential
            if trace.user == nil { (current, isAccepted) = (next, false) }
        case .effect(.transition(let change)) where change.reason == .login: (current, isAccepted) = (next, false)
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            guard case .loginAck(let reply) = frame.body, reply.status == .ok else { return }
            isAccepted = true
            if let shown, let current, shown != current {
                violations.append(
                    Violation(.tokens, "P11", "a login goes on with the token before", "\(shown), not \(current)"))
            }
        case .effect(.connect): shown = nil
        case .input(.clientCommand(let id, .renewToken(let credential, _))): renewals[id] = credential
        case .effect(.complete(let id, let completion)):
            guard let credential = renewals.removeValue(forKey: id), completion.status == .ok else { return }
            current = credential
            if isAccepted, remembered?.credential != credential {
                violations.append(Violation(.tokens, "P11", "a renewed token is not remembered", credential))
            }
        case .effect(.send(_, let frame)):
            guard case .login(let login) = frame.body, login.mode != .guest, let current,
                case .reference(let shown) = login.credential
            else { return }
            self.shown = shown
            guard shown != current else { return }
            violations.append(Violation(.tokens, "P11", "a login shows another credential", "\(shown), not \(current)"))
        default: break
        }
    }

    private mutating func remember(_ local: LocalData) {
        remembered = local.lastUser.map { ($0, local.credentialReference) }
    }
}
