import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A user whose connection broke stays present for the presence hold of the policy and no longer, counted from the last
/// sign of the connection (RTM-4).
struct PresenceHoldChecker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private let policy: ServerPolicy
    /// The time of the last frame on each connection.
    private var lastFrameAt: [ConnectionID: Instant] = [:]
    /// The slot of each connection's current login.
    private var carried: [ConnectionID: DeviceSlot] = [:]
    /// The earliest and the latest time at which each slot's presence ends.
    private var due: [DeviceSlot: (earliest: Instant, latest: Instant)] = [:]
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            lastFrameAt.removeAll()
            carried.removeAll()
            due.removeAll()
        case .input(let input):
            check(at: event.time, into: &violations)
            handleInput(input, at: event.time)
        case .effect(let effect): handleEffect(effect, at: event.time, trace, into: &violations)
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, at now: Instant) {
        switch input {
        case .linkOpened(let id): lastFrameAt[id] = now
        case .frame(let id, let frame):
            lastFrameAt[id] = now
            if case .logout = frame.body { carried[id] = nil }
        case .linkClosed(let id, let fault):
            // A broken connection ends with the silence limit.
            if !policy.breakWaitsForSilence || fault == .closedByPeer { broken(id, from: now, since: now, at: now) }
        case .serverCommand(_, .setPolicy): isPolicyChanged = true
        default: break
        }
    }

    private mutating func handleEffect(
        _ effect: NodeEffect, at now: Instant, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        switch effect {
        case .send(let id, let frame):
            switch frame.body {
            case .loginAck(let reply):
                guard reply.status == .ok, let (asking, login) = trace.asking, asking == id else { return }
                let slot = DeviceSlot(user: login.user, device: login.device.id)
                for (other, own) in carried where own == slot { carried[other] = nil }
                carried[id] = slot
                due[slot] = nil
            case .kicked, .goodbye, .tokenNotice(true, _): carried[id] = nil
            default: break
            }
        case .closeLink(let id):
            // For its silence: the last frame is at most one heartbeat interval older than the break.
            guard case .deadlineReached? = trace.input, let lastFrame = lastFrameAt[id] else { return }
            broken(id, from: lastFrame, since: lastFrame + policy.heartbeatInterval, at: now)
        case .presence(let user, let device, let change):
            guard change != .online else { return }
            let slot = DeviceSlot(user: user, device: device)
            if change == .offline, let due = due[slot], now < due.earliest, !isPolicyChanged {
                let detail = "\(user) on \(device), \((due.earliest - now).inMilliseconds) ms too soon"
                violations.append(Violation(.presence, "RTM-4", "who is away is given up too soon", detail))
            }
            due[slot] = nil
            for (other, own) in carried where own == slot { carried[other] = nil }
        default: break
        }
    }

    /// - Parameters:
    ///   - first: the earliest time at which it may have broken.
    ///   - last: the latest time.
    private mutating func broken(_ id: ConnectionID, from first: Instant, since last: Instant, at now: Instant) {
        lastFrameAt[id] = nil
        guard let slot = carried.removeValue(forKey: id) else { return }
        due[slot] = (first + policy.presenceHold, max(min(last, now) + policy.presenceHold, now))
    }

    private mutating func check(at now: Instant, into violations: inout [Violation]) {
        let limit = now - .milliseconds(1)
        guard due.values.contains(where: { $0.latest < limit }) else { return }
        for (slot, (_, latest)) in due.sorted(by: { $0.key < $1.key }) where latest < limit {
            due[slot] = nil
            guard !isPolicyChanged else { continue }
            let detail = "\(slot.user) on \(slot.device), \((now - latest).inMilliseconds) ms too long"
            violations.append(Violation(.presence, "RTM-4", "who is gone for good is held for longer", detail))
        }
    }
}
