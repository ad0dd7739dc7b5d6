import IMProtocol
import IMServer
import IMSession
import SansIO

/// A login over an older connection than the current login's was sent before it, and does not replace it (C-8). If
/// processes of a device end one another, this does not hold for another process: it takes the slot, however late
/// (RTM-6).
struct LateLoginChecker {
    private let endsOtherInstances: Bool
    /// True if the login request comes over an older connection than the current login's, from the same process. Nil if
    /// there is no such request.
    private var isOwn: Bool?

    init(_ policy: ServerPolicy) { endsOtherInstances = policy.endsOtherInstances }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input:
            isOwn = nil
            guard let (asking, login) = trace.asking, !trace.forgetsDevices,
                let carrying = trace.newest[ServerTrace.DeviceSlot(user: login.user, device: login.device.id)],
                asking < carrying, !trace.over.contains(carrying), let own = trace.carried[carrying]
            else { return }
            isOwn = own.instance == login.instance
        case .effect(.send(let connection, let frame)):
            guard let isOwn, let (asking, login) = trace.asking, asking == connection else { return }
            let detail = "\(login.user) on \(login.device.id)"
            switch frame.body {
            case .loginAck(let reply) where isOwn && reply.status == .ok:
                self.isOwn = nil
                let kind = "a login that comes late takes the place of the newer one"
                violations.append(Violation(.logins, "C-8", kind, detail))
            case .goodbye(.replaced, _) where !isOwn && endsOtherInstances:
                violations.append(
                    Violation(.logins, "RTM-6", "a login of another process is taken for a late one", detail))
            default: break
            }
        default: break
        }
    }
}
