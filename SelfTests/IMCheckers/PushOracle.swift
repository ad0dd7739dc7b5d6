import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A device receives pushes while it is logged in, and after a logout that keeps them. A kick ends them (NIM-10,
/// CHAT-8).
struct PushOracle {
    private typealias Place = ServerTrace.Place

    /// The push state according to the server's own frames; none if a login ended while its device was disconnected.
    private var isBound: [Place: Bool] = [:]
    /// Logged-out devices that keep push, until another event changes their user's logins.
    private var keeping: Set<Place> = []

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            isBound = isBound.filter { $0.key.user != user }
            keeping.removeAll()
        case .start, .stop, .input(.serverCommand): keeping.removeAll()
        case .input(.frame(let connection, let frame)):
            guard case .logout(let keepsPush) = frame.body, let carried = trace.carried[connection],
                trace.newest[carried.place] == connection, isBound[carried.place] != false
            else { return }
            isBound[carried.place] = keepsPush
            if keepsPush { keeping.insert(carried.place) }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked, .tokenNotice(expired: true, _):
                if let carried = trace.carried[connection] { isBound[carried.place] = false }
            case .loginAck(let reply) where reply.status == .ok:
                guard let carried = trace.carried[connection] else { return }
                isBound[carried.place] = true
                keeping = keeping.filter { $0.user != carried.place.user }
            default: break
            }
        default: break
        }
    }

    /// Call it if nothing is in flight.
    func faults(_ server: ServerMachine) -> [Violation] {
        server.deviceViews.compactMap { view in
            let place = Place(user: view.user, device: view.device.id)
            guard let isBound = isBound[place], isBound != view.isPushBound,
                !isBound || view.connection != nil || keeping.contains(place)
            else { return nil }
            let kind =
                !isBound
                ? "push goes to a device that is out"
                : keeping.contains(place)
                    ? "no push goes to a device that kept it" : "no push goes to a device that is logged in"
            return Violation(.agreement, "NIM-10", kind, "\(view.user) on \(view.device.id)")
        }
    }
}
