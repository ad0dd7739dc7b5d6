import IMProtocol
import IMServer
import IMSession
import IMTraces
import SansIO

/// A login over an older link than the one that carries the login of its device was said before that one, and takes
/// nothing from it (C-8). Where processes of a device end one another, that of another one was not: it takes the place,
/// however late (RTM-6).
struct LateLoginOracle {
    private let endsOtherInstances: Bool
    /// The connection that carries the login of the device which is asking over an older one.
    private var newer: ConnectionID?
    /// Whether another process of the device asks.
    private var isOthers = false

    init(_ policy: ServerPolicy) { endsOtherInstances = policy.endsOtherInstances }

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace, into faults: inout [Violation]) {
        switch event.content {
        case .input:
            (newer, isOthers) = (nil, false)
            guard let (asking, login) = trace.asking, !trace.forgetsDevices,
                let carrying = trace.newest[ServerTrace.Place(user: login.user, device: login.device.id)],
                asking < carrying, !trace.over.contains(carrying), let own = trace.carried[carrying]
            else { return }
            if own.instance == login.instance { newer = carrying } else { isOthers = endsOtherInstances }
        case .effect(.send(let connection, let frame)):
            if isOthers, trace.asking?.connection == connection, case .goodbye(.replaced, _) = frame.body {
                let words = trace.asking.map { "\($0.login.user) on \($0.login.device.id)" } ?? ""
                faults.append(Violation(.logins, "RTM-6", "a login of another process is taken for a late one", words))
            }
            guard newer != nil, trace.asking?.connection == connection, case .loginAck(let reply) = frame.body,
                reply.status == .ok
            else { return }
            newer = nil
            let words = trace.asking.map { "\($0.login.user) on \($0.login.device.id)" } ?? ""
            faults.append(Violation(.logins, "C-8", "a login that comes late takes the place of the newer one", words))
        default: break
        }
    }
}
