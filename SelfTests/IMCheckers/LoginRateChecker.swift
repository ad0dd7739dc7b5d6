import IMProtocol
import IMServer
import IMSession
import SansIO

/// Too many logins in a minute are refused, for as long as the penalty lasts. A login that has waited long enough is not
/// refused for that reason (NIM-8, RTM-9).
struct LoginRateChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private var policy: ServerPolicy
    /// The times of the counted logins of each device, and the end of its penalty.
    private var loginTimes: [DeviceSlot: [Instant]] = [:]
    private var refusedUntil: [DeviceSlot: Instant] = [:]
    /// Until this time the number of the device's logins is unknown, because a refusal may have come before the
    /// counting.
    private var unknownUntil: [DeviceSlot: Instant] = [:]

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func begin(with policy: ServerPolicy) { self = LoginRateChecker(policy) }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        if case .input(.serverCommand(_, .setPolicy("login-rate-max", let value))) = event.content {
            policy.loginRateMax = Int(value) ?? policy.loginRateMax
        }
        guard policy.loginRateMax > 0 else { return }
        switch event.content {
        case .start, .stop:
            loginTimes.removeAll()
            refusedUntil.removeAll()
            unknownUntil.removeAll()
        // Logins that are answered with the end of an older login are not counted.
        case .effect(.send(let connection, let frame)):
            guard let (asking, login) = trace.asking, asking == connection else { return }
            let slot = DeviceSlot(user: login.user, device: login.device.id)
            guard login.mode != .resume else {
                // A resumed login counts only if its credential never was the user's, which the reply does not show.
                if case .loginAck(let reply) = frame.body, reply.status == .wrongCredential {
                    forget(slot, at: event.time)
                }
                return
            }
            // A late login over an older connection also counts.
            if case .goodbye(.replaced, _) = frame.body { loginTimes[slot, default: []].append(event.time) }
            if case .loginAck(let reply) = frame.body { answered(reply, slot, at: event.time, into: &violations) }
        default: break
        }
    }

    private mutating func answered(
        _ reply: LoginReply, _ slot: DeviceSlot, at now: Instant, into violations: inout [Violation]
    ) {
        let isUncounted = [.banned, .wrongCredential, .invalidArgument].contains(reply.status)
        if now < unknownUntil[slot] ?? .zero {
            // The login counts. Its penalty may last longer than the unknown period.
            if reply.status == .ok { loginTimes[slot, default: []].append(now) }
            if reply.status == .rateLimited || isUncounted { forget(slot, at: now) }
            return
        }
        if isUncounted { return forget(slot, at: now) }
        let isTooOften = isTooOften(slot, at: now)
        if reply.status == .rateLimited, !isTooOften {
            violations.add(.logins, "NIM-8", "a login within the rate limit is refused")
        }
        if reply.status == .ok, isTooOften {
            violations.add(.logins, "NIM-8", "a login above the rate limit is accepted")
        }
    }

    /// The logins of the device so far become unknown, and so does a penalty that they caused.
    private mutating func forget(_ slot: DeviceSlot, at now: Instant) {
        unknownUntil[slot] = now + policy.loginRateWindow + policy.loginRatePenalty
        (loginTimes[slot], refusedUntil[slot]) = (nil, nil)
    }

    /// Checks a login and counts it. A refused login does not count.
    private mutating func isTooOften(_ slot: DeviceSlot, at now: Instant) -> Bool {
        if let until = refusedUntil[slot] {
            if now < until { return true }
            refusedUntil[slot] = nil
            loginTimes[slot] = []
        }
        let recent = (loginTimes[slot] ?? []).filter { now - $0 < policy.loginRateWindow }
        guard recent.count < policy.loginRateMax else {
            loginTimes[slot] = recent
            if policy.loginRatePenalty > .zero { refusedUntil[slot] = now + policy.loginRatePenalty }
            return true
        }
        loginTimes[slot] = recent + [now]
        return false
    }
}
