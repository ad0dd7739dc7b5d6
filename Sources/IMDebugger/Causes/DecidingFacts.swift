import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// Finds events that decided a refusal, but are not inputs of the process that refused the request. Examples are an
// earlier command of an operator, the client's stored data, and an input of an earlier process of the server.

extension CauseFinder {
    /// The operator's command that set the security rule which forbade a request. The command may have been an input of
    /// an earlier process of the server, because security rules are stored.
    func earlierRule(_ refusal: Refusal) throws -> FoundCause? {
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
        return found.map { FoundCause(number: $0.number, how: "it set who may do this") }
    }

    /// The operator's command that made a credential invalid. A run of the server's machine without the command would
    /// not show its effect: the host checks the credentials, and the machine's input contains the host's verdict.
    func revocation(_ refusal: Refusal) throws -> FoundCause? {
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
        return found.map { FoundCause(number: $0.number, how: "it made the credential invalid") }
    }

    /// The event that decided a refusal by the client itself, found from the client's state.
    func localFact(_ refusal: Refusal) throws -> FoundCause? {
        guard let client = try session.timeline.state(at: refusal.input.number - 1)[refusal.input.node]?.client else {
            return nil
        }
        switch refusal.status {
        case .autologinNotAllowed, .offlineLoginNotAllowed: return try storedDataChange(refusal)
        case .credentialExpired, .credentialTooShort: return try credentialSource(of: refusal)
        case .networkUnavailable:
            if let fault = try missingConnection(of: refusal.input.node, at: refusal.input) { return fault }
        case .alreadyLoggedIn, .otherUserLoggedIn:
            guard client.isLeaving else { break }
            let logout = try session.lastCommand(of: refusal.input.node, before: refusal.input.number) {
                if case .logout = $0 { true } else { false }
            }
            return logout.map { FoundCause(number: $0.number, how: "it was still running") }
        default: break
        }
        switch client.state {
        case .kicked, .tokenExpired: return try lastChange(before: refusal.input)
        case .loggedOut, .connecting, .syncing, .online, .reconnecting, .offline: return nil
        }
    }

    /// The transition to the state in which the client was when it received an input.
    func lastChange(before input: Event) throws -> FoundCause? {
        let found = try session.timeline.last(before: input.number) { view in
            guard view.node == input.node, view.role == .effect, EventKind.mayBe("transition", view),
                case .effect(.transition) = session.decoded(view).content
            else { return false }
            return true
        }
        return found.map { FoundCause(number: $0.number, how: "the client was in that state") }
    }

    /// The command with which the client received the refused credential. If the device's clock was set after that
    /// command, the setting of the clock.
    func credentialSource(of refusal: Refusal) throws -> FoundCause? {
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
        else { return FoundCause(number: found, how: "it contained the credential") }
        return FoundCause(
            number: clock.number, how: "that clock decided whether the credential was valid", also: [found])
    }

    /// The change of the device's stored data that decided a refusal. The data outlives the process of the app.
    private func storedDataChange(_ refusal: Refusal) throws -> FoundCause? {
        let start = try session.timeline.last(before: refusal.input.number) {
            $0.node == refusal.input.node && $0.role == .start
        }
        let last = refusal.status == .offlineLoginNotAllowed ? start?.number ?? 0 : refusal.input.number
        guard last > 0 else { return nil }
        var found: UInt64?
        var previous = LocalData()
        try session.timeline.scan(after: 0, upTo: last - 1) { view in
            guard view.node == refusal.input.node, view.role == .effect,
                case .effect(.persist(let data)) = session.decoded(view).content
            else { return true }
            let isChanged =
                refusal.status == .offlineLoginNotAllowed
                ? data.lastUser != previous.lastUser
                : data.autologinAllowed != previous.autologinAllowed || data.lastUser != previous.lastUser
                    || data.lastResult != previous.lastResult
            if isChanged { found = view.number }
            previous = data
            return true
        }
        return found.map { FoundCause(number: $0, how: "the device had stored this") }
    }
}
