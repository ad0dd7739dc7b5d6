import IMClient
import IMProtocol
import IMSession
import SansIO

/// Local data is open only for the logged-in user. The stored data of the last login changes only for a cause (C-11,
/// C-13).
struct LocalDataChecker: Checker {
    private let policy: ClientPolicy
    private var owner: String?
    private var kept: LocalData?
    /// True during a manual login that the server has not yet accepted.
    private var isUnproven = false
    /// The user who exported messages to each folder, and the exports and imports in progress, with user and folder.
    private var exports: [String: String] = [:]
    private var exporting: [CommandID: (user: String, folder: String)] = [:]
    private var imports: [CommandID: (user: String, folder: String)] = [:]

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start(let start):
            owner = nil
            isUnproven = false
            if case .client(_, _, let local, _, _, _) = start.body {
                if let kept, !kept.isSameLogin(as: local) {
                    violations.append(Violation(.localData, "C-11", "what was kept of the last login is not found"))
                }
                kept = local
            }
        case .stop: owner = nil
        case .input(.clientCommand(let id, .call(let request))) where request.call.usesFolder:
            guard let user = trace.user, let folder = request.arguments["folderPath"] else { return }
            if request.call == .importLocalMessages {
                imports[id] = (user, folder)
            } else {
                exporting[id] = (user, folder)
            }
        case .effect(.complete(let id, let completion)):
            if let (user, folder) = exporting.removeValue(forKey: id), completion.status == .ok {
                exports[folder] = user
            }
            guard let (user, folder) = imports.removeValue(forKey: id), completion.status == .ok,
                let exporter = exports[folder], exporter != user
            else { return }
            violations.append(
                Violation(.localData, "C-13", "imports what another user exported", "\(exporter)'s, by \(user)"))
        case .effect(.keep(let item)):
            if let user = trace.user, item.user != user {
                violations.append(
                    Violation(
                        .localData, "C-13", "keeps another user's thing", "\(item.user)'s, with \(user) logged in"))
            }
        case .effect(.persist(let data)):
            persisted(data, trace, into: &violations)
            kept = data
        case .effect(.data(let request)): handleRequest(request, trace, into: &violations)
        case .input(.frame(_, let frame)):
            if case .loginAck(let reply) = frame.body, reply.status == .ok, !trace.isInputStale { isUnproven = false }
        case .effect(.transition(let change)) where policy.features.contains(.localData):
            if change.from.isOver, case .clientCommand(_, .login(let call))? = trace.input {
                isUnproven = call.mode == .manual
            }
            switch change.to {
            case .online, .syncing:
                if !trace.isDataOpen {
                    violations.append(Violation(.localData, "C-13", "logged in, and local data is closed"))
                }
            case .loggedOut, .kicked, .tokenExpired:
                if trace.isDataOpen, trace.user == nil {
                    violations.append(Violation(.localData, "C-13", "local data is open after the end", change.to.name))
                }
            case .connecting, .reconnecting, .offline: break
            }
        default: break
        }
    }

    /// A network error does not delete the credential.
    private func persisted(_ data: LocalData, _ trace: ClientTrace, into violations: inout [Violation]) {
        guard let kept, kept.lastUser != nil else { return }
        switch trace.input {
        case .linkFailed?, .linkClosed?, .network?, .linkOpened?:
            guard data.credentialReference != kept.credentialReference || data.lastUser != kept.lastUser else { return }
            violations.append(Violation(.localData, "C-11", "a network error changes the credential"))
        default: break
        }
    }

    private mutating func handleRequest(
        _ request: DataRequest, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        switch request.action {
        case .open(let user):
            owner = user
            if isUnproven {
                violations.append(
                    Violation(.localData, "NIM-2", "opens a user's data before the server has let the user in"))
            }
            guard user != trace.user else { return }
            let detail = "\(user)'s, with \(trace.user ?? "nobody") logged in"
            violations.append(Violation(.localData, "C-13", "opens another user's data", detail))
        case .call, .apply:
            guard owner == nil || owner != trace.user else { return }
            let detail = "\(owner ?? "nobody")'s, with \(trace.user ?? "nobody") logged in"
            violations.append(Violation(.localData, "C-13", "uses another user's data", detail))
        case .close: owner = nil
        case .tree: break
        }
    }
}

extension LocalData {
    /// True if both have the same last login, received position and unsent data. Items are stored separately.
    fileprivate func isSameLogin(as other: LocalData) -> Bool {
        var other = other
        other.items = items
        return self == other
    }
}
