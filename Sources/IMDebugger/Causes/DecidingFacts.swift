import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// Facts that decided a refusal without being an input of the process that refused: an earlier command of an operator,
// the client's stored data, an input of an earlier process of the server.

extension CauseFinder {
    /// The security rule that an earlier process of the server received (SYNC-10).
    func earlierRule(_ refusal: Refusal) throws -> MissingEvent? {
        guard refusal.status == .forbidden,
            case .input(.frame(_, let frame)) = session.decoded(refusal.input).content,
            case .tree(let request) = frame.body, let path = TreePath(request.path)?.keys
        else { return nil }
        let found = try session.timeline.last(before: refusal.input.number) { view in
            guard view.node == refusal.input.node, view.role == .input, view.channel == .sdk,
                case .input(.serverCommand(_, .setTreeRule(let rulePath, _))) = session.decoded(view).content
            else { return false }
            return TreePath(rulePath).map { path.starts(with: $0.keys) } ?? false
        }
        return found.map { MissingEvent(number: $0.number, how: "it set who may do this") }
    }

    /// The operator's command that made a credential invalid. The host checks credentials, so that the server would
    /// refuse it without the command as well.
    func revocation(_ refusal: Refusal) throws -> MissingEvent? {
        guard case .input(.frame(_, let frame)) = session.decoded(refusal.input).content,
            case .verdict(let verdict)? = frame.body.credential, verdict.finding == .revoked
        else { return nil }
        let user = frame.body.credentialUser
        let found = try session.timeline.last(before: refusal.input.number) { view in
            guard view.node == refusal.input.node, view.role == .input, view.channel == .sdk,
                case .input(.serverCommand(_, let command)) = session.decoded(view).content
            else { return false }
            switch command {
            case .passwordChanged(user: user), .revokeTokens(user: user), .deleteAccount(user): return true
            default: return false
            }
        }
        return found.map { MissingEvent(number: $0.number, how: "it made the credential invalid") }
    }

    /// The fact about the client's state that decided its own refusal.
    func localFact(_ refusal: Refusal) throws -> MissingEvent? {
        guard let client = try session.timeline.state(at: refusal.input.number - 1)[refusal.input.node]?.client else {
            return nil
        }
        switch refusal.status {
        case .autologinNotAllowed, .offlineLoginNotAllowed: return try keptDecision(refusal)
        case .credentialExpired, .credentialTooShort: return try presenter(of: refusal)
        case .networkUnavailable:
            if let fault = try missingConnection(of: refusal.input.node, at: refusal.input) { return fault }
        case .alreadyLoggedIn, .otherUserLoggedIn:
            guard client.isLeaving else { break }
            let logout = try session.lastCommand(of: refusal.input.node, before: refusal.input.number) {
                if case .logout = $0 { true } else { false }
            }
            return logout.map { MissingEvent(number: $0.number, how: "it was still running") }
        default: break
        }
        switch client.state {
        case .kicked, .tokenExpired: return try lastChange(before: refusal.input)
        case .loggedOut, .connecting, .syncing, .online, .reconnecting, .offline: return nil
        }
    }

    /// The last change to the state that a client was in.
    func lastChange(before input: Event) throws -> MissingEvent? {
        let found = try session.timeline.last(before: input.number) { view in
            guard view.node == input.node, view.role == .effect, EventKind.mayBe("transition", view),
                case .effect(.transition) = session.decoded(view).content
            else { return false }
            return true
        }
        return found.map { MissingEvent(number: $0.number, how: "the client was in that state") }
    }

    /// The command that presented the client's credential, or the clock setting by which it was checked.
    func presenter(of refusal: Refusal) throws -> MissingEvent? {
        let client: NodeIndex?
        if try session.servers.contains(refusal.input.node) {
            guard case .input(.frame(_, let frame)) = session.decoded(refusal.input).content,
                case .login(let login) = frame.body, login.mode != .manual
            else { return nil }
            client = try graph().clientsByDevice[login.device.id]
        } else {
            client = refusal.input.node
        }
        guard let client else { return nil }
        let presented = try session.lastCommand(of: client, before: refusal.input.number) { command in
            switch command {
            case .login(let call): !call.credential.isEmpty
            case .renewToken: true
            default: false
            }
        }
        guard let found = presented?.number else { return nil }
        guard let clock = try graph().faults.clock(of: client, before: refusal.input.number), clock.skew != .zero,
            clock.number > found, client == refusal.input.node
        else { return MissingEvent(number: found, how: "it contained the credential") }
        return MissingEvent(
            number: clock.number, how: "that clock decided whether the credential was valid", also: [found])
    }

    /// The stored data of the device, kept between two processes of the app, that decided a refusal.
    private func keptDecision(_ refusal: Refusal) throws -> MissingEvent? {
        let start = try session.timeline.last(before: refusal.input.number) {
            $0.node == refusal.input.node && $0.role == .start
        }
        let last = refusal.status == .offlineLoginNotAllowed ? start?.number ?? 0 : refusal.input.number
        guard last > 0 else { return nil }
        var found: UInt64?
        var kept = LocalData()
        try session.timeline.scan(after: 0, upTo: last - 1) { view in
            guard view.node == refusal.input.node, view.role == .effect,
                case .effect(.persist(let data)) = session.decoded(view).content
            else { return true }
            let isChanged =
                refusal.status == .offlineLoginNotAllowed
                ? data.lastUser != kept.lastUser
                : data.autologinAllowed != kept.autologinAllowed || data.lastUser != kept.lastUser
                    || data.lastResult != kept.lastResult
            if isChanged { found = view.number }
            kept = data
            return true
        }
        return found.map { MissingEvent(number: $0, how: "the device had stored this") }
    }
}
