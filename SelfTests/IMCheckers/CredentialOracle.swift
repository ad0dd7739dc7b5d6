import IMClient
import IMProtocol
import IMSession
import SansIO

/// What a client shows of its user is what the app gave it last, or what the device remembers of that user: never what
/// the server refused, and never another's (P11, C-11).
struct CredentialOracle {
    /// By the command that began the login, and the renewals that were taken; nil while nobody is logged in.
    private var given: String?
    /// What the app gave with a login that may take the place of the present one.
    private var next: String?
    private var remembered: (user: String, credential: String)?
    private var renewals: [CommandID: String] = [:]
    /// Whether the server has accepted the login: only then the device remembers it.
    private var isAccepted = false
    /// What the login under way shows.
    private var shown: String?

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start(let start):
            self = CredentialOracle()
            if case .client(_, _, let local, _, _, _) = start.body { remember(local) }
        case .effect(.persist(let local)): remember(local)
        case .input(.clientCommand(_, .login(let user, let credential, _, _, _))):
            let known = remembered?.user == user ? remembered?.credential ?? "" : ""
            next = credential.isEmpty ? known : credential
            if trace.user == nil { (given, isAccepted) = (next, false) }
        case .effect(.transition(let change)) where change.reason == .login: (given, isAccepted) = (next, false)
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            guard case .loginAck(let reply) = frame.body, reply.status == .ok else { return }
            isAccepted = true
            if let shown, let given, shown != given {
                faults.append(
                    Violation(.tokens, "P11", "a login goes on with the token before", "\(shown), not \(given)"))
            }
        case .effect(.connect): shown = nil
        case .input(.clientCommand(let id, .renewToken(let credential, _))): renewals[id] = credential
        case .effect(.complete(let id, let completion)):
            guard let credential = renewals.removeValue(forKey: id), completion.status == .ok else { return }
            given = credential
            if isAccepted, remembered?.credential != credential {
                faults.append(Violation(.tokens, "P11", "a renewed token is not remembered", credential))
            }
        case .effect(.send(_, let frame)):
            guard case .login(let login) = frame.body, login.mode != .guest, let given,
                case .reference(let shown) = login.credential
            else { return }
            self.shown = shown
            guard shown != given else { return }
            faults.append(Violation(.tokens, "P11", "a login shows another credential", "\(shown), not \(given)"))
        default: break
        }
    }

    private mutating func remember(_ local: LocalData) {
        remembered = local.lastUser.map { ($0, local.credentialReference) }
    }
}
