import IMClient
import IMSession

/// Local data is open only for the logged-in user (C-13).
struct LocalDataChecker: Checker {
    private let policy: ClientPolicy
    private var owner: String?
    /// True during a manual login that the server has not yet accepted.
    private var isUnproven = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: (owner, isUnproven) = (nil, false)
        case .effect(.keep(let item)):
            if let user = trace.user, item.user != user {
                violations.add(
                    .localData, "C-13", "an item of another user is stored",
                    "of \(item.user), while \(user) is logged in")
            }
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
                    violations.add(.localData, "C-13", "the user is logged in, but the local data is closed")
                }
            case .loggedOut, .kicked, .tokenExpired:
                if trace.isDataOpen, trace.user == nil {
                    violations.add(.localData, "C-13", "local data is open after the end of the login", change.to.name)
                }
            case .connecting, .reconnecting, .offline: break
            }
        default: break
        }
    }

    private mutating func handleRequest(
        _ request: DataRequest, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        switch request.action {
        case .open(let user):
            owner = user
            if isUnproven { violations.add(.localData, "NIM-2", "local data is opened before the login is accepted") }
            guard user != trace.user else { return }
            let detail = "of \(user), while \(trace.user ?? "nobody") is logged in"
            violations.add(.localData, "C-13", "local data of another user is opened", detail)
        case .call, .apply:
            guard owner == nil || owner != trace.user else { return }
            let detail = "of \(owner ?? "nobody"), while \(trace.user ?? "nobody") is logged in"
            violations.add(.localData, "C-13", "local data of another user is used", detail)
        case .close: owner = nil
        case .tree: break
        }
    }
}
