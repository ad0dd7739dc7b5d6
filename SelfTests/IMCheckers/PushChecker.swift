import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A device receives pushes while it is logged in, and after a logout that keeps them. A kick ends them (NIM-10,
/// CHAT-8).
struct PushChecker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The push state according to the server's own frames; none if a login ended while its device was disconnected.
    private var isBound: [DeviceSlot: Bool] = [:]
    /// Logged-out devices that keep push, until another event changes their user's logins.
    private var keeping: Set<DeviceSlot> = []

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            isBound = isBound.filter { $0.key.user != user }
            keeping.removeAll()
        case .start, .stop, .input(.serverCommand): keeping.removeAll()
        case .input(.frame(let connection, let frame)):
            guard case .logout(let keepsPush) = frame.body, let carried = trace.carried[connection],
                trace.newest[carried.slot] == connection, isBound[carried.slot] != false
            else { return }
            isBound[carried.slot] = keepsPush
            if keepsPush { keeping.insert(carried.slot) }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked, .tokenNotice(expired: true, _):
                if let carried = trace.carried[connection] { isBound[carried.slot] = false }
            case .loginAck(let reply) where reply.status == .ok:
                guard let carried = trace.carried[connection] else { return }
                isBound[carried.slot] = true
                keeping = keeping.filter { $0.user != carried.slot.user }
            default: break
            }
        default: break
        }
    }

    /// Call it if nothing is in flight.
    func violations(_ server: ServerMachine) -> [Violation] {
        server.deviceViews.compactMap { view in
            let slot = DeviceSlot(user: view.user, device: view.device.id)
            guard let isBound = isBound[slot], isBound != view.isPushBound,
                !isBound || view.connection != nil || keeping.contains(slot)
            else { return nil }
            let kind =
                !isBound
                ? "push goes to a device that is out"
                : keeping.contains(slot)
                    ? "no push goes to a device that kept it" : "no push goes to a device that is logged in"
            return Violation(.agreement, "NIM-10", kind, "\(view.user) on \(view.device.id)")
        }
    }
}
