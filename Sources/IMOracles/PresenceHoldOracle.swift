import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A user whose connection has broken is held for others to see for as long as the policy says, counted from when the
/// connection was last known to live, and no longer (RTM-4).
struct PresenceHoldOracle {
    private typealias Place = ServerTrace.Place

    private let policy: ServerPolicy
    /// When something last came over each connection.
    private var heardAt: [ConnectionID: Instant] = [:]
    /// Whose login each connection carries that has not been ended.
    private var carried: [ConnectionID: Place] = [:]
    /// When each place has to be given up at last.
    private var due: [Place: Instant] = [:]
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            heardAt.removeAll()
            carried.removeAll()
            due.removeAll()
        case .input(let input):
            judge(at: event.time, into: &faults)
            given(input, at: event.time)
        case .effect(let effect): asked(effect, at: event.time, trace)
        default: break
        }
    }

    private mutating func given(_ input: NodeInput, at now: Instant) {
        switch input {
        case .linkOpened(let id): heardAt[id] = now
        case .frame(let id, let frame):
            heardAt[id] = now
            if case .logout = frame.body { carried[id] = nil }
        case .linkClosed(let id, _): broken(id, since: now, at: now)
        case .serverCommand(_, .setPolicy): isPolicyChanged = true
        default: break
        }
    }

    private mutating func asked(_ effect: NodeEffect, at now: Instant, _ trace: ServerTrace) {
        switch effect {
        case .send(let id, let frame):
            switch frame.body {
            case .loginAck(let reply):
                guard reply.status == .ok, let (asking, login) = trace.asking, asking == id else { return }
                let place = Place(user: login.user, device: login.device.id)
                for (other, own) in carried where own == place { carried[other] = nil }
                carried[id] = place
                due[place] = nil
            case .kicked, .goodbye, .tokenNotice(true, _): carried[id] = nil
            default: break
            }
        case .closeLink(let id):
            // For its silence: what had been heard is a heartbeat old at most.
            guard case .deadlineReached? = trace.input, let heard = heardAt[id] else { return }
            broken(id, since: heard + policy.heartbeatInterval, at: now)
        case .presence(let user, let device, let change):
            if change != .online { due[Place(user: user, device: device)] = nil }
        default: break
        }
    }

    private mutating func broken(_ id: ConnectionID, since instant: Instant, at now: Instant) {
        heardAt[id] = nil
        guard let place = carried.removeValue(forKey: id) else { return }
        due[place] = max(min(instant, now) + policy.presenceHold, now)
    }

    private mutating func judge(at now: Instant, into faults: inout [Violation]) {
        for (place, latest) in due where latest + .milliseconds(1) < now {
            due[place] = nil
            guard !isPolicyChanged else { continue }
            let words = "\(place.user) on \(place.device), \((now - latest).inMilliseconds) ms too long"
            faults.append(Violation(.presence, "RTM-4", "who is gone for good is held for longer", words))
        }
    }
}
