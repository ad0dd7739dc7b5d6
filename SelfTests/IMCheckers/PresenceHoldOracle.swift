import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A user whose connection broke stays present for the presence hold of the policy and no longer, counted from the last
/// sign of the connection (RTM-4).
struct PresenceHoldOracle {
    private typealias Place = ServerTrace.Place

    private let policy: ServerPolicy
    /// The time of the last frame on each connection.
    private var heardAt: [ConnectionID: Instant] = [:]
    /// The slot of each connection's current login.
    private var carried: [ConnectionID: Place] = [:]
    /// The earliest and the latest time at which each slot's presence ends.
    private var due: [Place: (earliest: Instant, latest: Instant)] = [:]
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
        case .effect(let effect): asked(effect, at: event.time, trace, into: &faults)
        default: break
        }
    }

    private mutating func given(_ input: NodeInput, at now: Instant) {
        switch input {
        case .linkOpened(let id): heardAt[id] = now
        case .frame(let id, let frame):
            heardAt[id] = now
            if case .logout = frame.body { carried[id] = nil }
        case .linkClosed(let id, let fault):
            // A broken connection ends with the silence limit.
            if !policy.breakWaitsForSilence || fault == .closedByPeer { broken(id, from: now, since: now, at: now) }
        case .serverCommand(_, .setPolicy): isPolicyChanged = true
        default: break
        }
    }

    private mutating func asked(
        _ effect: NodeEffect, at now: Instant, _ trace: ServerTrace, into faults: inout [Violation]
    ) {
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
            // For its silence: the last frame is at most one heartbeat interval older than the break.
            guard case .deadlineReached? = trace.input, let heard = heardAt[id] else { return }
            broken(id, from: heard, since: heard + policy.heartbeatInterval, at: now)
        case .presence(let user, let device, let change):
            guard change != .online else { return }
            let place = Place(user: user, device: device)
            if change == .offline, let due = due[place], now < due.earliest, !isPolicyChanged {
                let words = "\(user) on \(device), \((due.earliest - now).inMilliseconds) ms too soon"
                faults.append(Violation(.presence, "RTM-4", "who is away is given up too soon", words))
            }
            due[place] = nil
            for (other, own) in carried where own == place { carried[other] = nil }
        default: break
        }
    }

    /// - Parameters:
    ///   - first: the earliest time at which it may have broken.
    ///   - last: the latest time.
    private mutating func broken(_ id: ConnectionID, from first: Instant, since last: Instant, at now: Instant) {
        heardAt[id] = nil
        guard let place = carried.removeValue(forKey: id) else { return }
        due[place] = (first + policy.presenceHold, max(min(last, now) + policy.presenceHold, now))
    }

    private mutating func judge(at now: Instant, into faults: inout [Violation]) {
        let limit = now - .milliseconds(1)
        guard due.values.contains(where: { $0.latest < limit }) else { return }
        for (place, (_, latest)) in due.sorted(by: { $0.key < $1.key }) where latest < limit {
            due[place] = nil
            guard !isPolicyChanged else { continue }
            let words = "\(place.user) on \(place.device), \((now - latest).inMilliseconds) ms too long"
            faults.append(Violation(.presence, "RTM-4", "who is gone for good is held for longer", words))
        }
    }
}
