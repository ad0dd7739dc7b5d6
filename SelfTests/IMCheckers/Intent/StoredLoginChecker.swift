import IMClient
import IMProtocol
import IMSession

/// The device stores the login that the server granted. The checker compares both after each input, and at the start of
/// the next process. After the end of the login, the stored login permits no automatic login (C-6, C-11, NIM-3).
struct StoredLoginChecker: Checker {
    private let policy: ClientPolicy
    private var stored: LocalData?
    /// The login that the server granted in the current input.
    private var granted: (link: ConnectionID, epoch: LoginEpoch)?
    /// True if the login ended in the current input.
    private var hasEnded = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start(let start):
            guard case .client(_, _, let local, _, _, _) = start.body else { return }
            if let stored, !stored.isSameLogin(as: local) {
                violations.add(.localData, "C-11", "a new process has other data of the last login")
            }
            (stored, granted, hasEnded) = (local, nil, false)
        case .input(let input):
            check(trace, into: &violations)
            guard case .frame(let link, let frame) = input, case .loginAck(let reply) = frame.body else { return }
            if reply.status == .ok, !trace.isInputStale { granted = (link, reply.epoch) }
        case .effect(.persist(let data)):
            if let stored, stored.lastUser != nil, trace.input?.isOfNetwork == true,
                data.credentialReference != stored.credentialReference || data.lastUser != stored.lastUser
            {
                violations.add(.localData, "C-11", "an event of the network changes the stored credential")
            }
            stored = data
        case .effect(.transition(let change)):
            hasEnded = change.to.isOver && (change.to != .loggedOut || change.reason == .logout)
        default: break
        }
    }

    private mutating func check(_ trace: ClientTrace, into violations: inout [Violation]) {
        defer { (granted, hasEnded) = (nil, false) }
        guard let stored else { return }
        if let granted, granted.link == trace.acceptedLink, [.online, .syncing].contains(trace.state) {
            let isRight =
                stored.lastEpoch == granted.epoch && stored.lastResult == .ok && stored.autologinAllowed
                && (trace.user == nil || stored.lastUser == trace.user)
            guard !isRight else { return }
            let detail = "login \(stored.lastEpoch) of \(stored.lastUser ?? "nobody"), not \(granted.epoch)"
            violations.add(.localData, "C-6", "the stored login is not the granted one", detail)
        } else if hasEnded, policy.features.contains(.autologin), stored.autologinAllowed {
            violations.add(.localData, "NIM-3", "an ended login still permits an automatic login", trace.state.name)
        }
    }
}

extension NodeInput {
    fileprivate var isOfNetwork: Bool {
        switch self {
        case .linkOpened, .linkFailed, .linkClosed, .network: true
        default: false
        }
    }
}

extension LocalData {
    /// True if both are equal except for their items. The client stores the items separately.
    fileprivate func isSameLogin(as other: LocalData) -> Bool {
        var other = other
        other.items = items
        return self == other
    }
}
