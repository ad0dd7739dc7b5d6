import IMProtocol
import IMServer
import IMSession
import IMTraces
import SansIO

/// A login over an older link than the one that carries the login of its device was said before that one, and takes
/// nothing from it (C-8).
struct LateLoginOracle {
    /// The connection that carries the login of the device which is asking over an older one.
    private var newer: ConnectionID?

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace, into faults: inout [Violation]) {
        switch event.content {
        case .input:
            newer = nil
            guard let (asking, login) = trace.asking, !trace.forgetsDevices,
                let carrying = trace.newest[ServerTrace.Place(user: login.user, device: login.device.id)],
                asking < carrying, !trace.over.contains(carrying),
                trace.carried[carrying]?.instance == login.instance
            else { return }
            newer = carrying
        case .effect(.send(let connection, let frame)):
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
