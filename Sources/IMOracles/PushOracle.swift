import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Whether pushes go to a device: while it is logged in, and behind a logout that keeps them; a kick ends them (NIM-10,
/// CHAT-8).
struct PushOracle {
    private typealias Place = ServerTrace.Place

    /// What the server's own words say of each device; nothing of one whose login ended while it was away.
    private var isBound: [Place: Bool] = [:]

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))): isBound = isBound.filter { $0.key.user != user }
        case .input(.frame(let connection, let frame)):
            guard case .logout(let keepsPush) = frame.body, let carried = trace.carried[connection],
                trace.newest[carried.place] == connection
            else { return }
            isBound[carried.place] = keepsPush
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked: if let carried = trace.carried[connection] { isBound[carried.place] = false }
            case .loginAck(let reply) where reply.status == .ok:
                if let carried = trace.carried[connection] { isBound[carried.place] = true }
            default: break
            }
        default: break
        }
    }

    /// To be called where nothing is under way.
    func faults(_ server: ServerMachine) -> [Violation] {
        server.deviceViews.compactMap { view in
            guard let isBound = isBound[Place(user: view.user, device: view.device.id)], isBound != view.isPushBound,
                !isBound || view.connection != nil
            else { return nil }
            let kind = isBound ? "no push goes to a device that is logged in" : "push goes to a device that is out"
            return Violation(.agreement, "NIM-10", kind, "\(view.user) on \(view.device.id)")
        }
    }
}
