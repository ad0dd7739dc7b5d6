import IMProtocol
import IMServer
import IMSession
import SansIO

/// A device with too many logins in a minute is refused for the duration of the penalty. A login after the penalty is
/// not refused for its rate (NIM-8, RTM-9).
struct LoginRateChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private var policy: ServerPolicy
    /// The times of each device's counted logins, and the end of its penalty.
    private var loginTimes: [DeviceSlot: [Instant]] = [:]
    private var refusedUntil: [DeviceSlot: Instant] = [:]
    /// Until this time the checker cannot count the device's logins, because the server may have refused one of them
    /// without counting it.
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
        // Logins that the server answers with a kick of an older login are not counted.
        case .effect(.send(let connection, let frame)):
            guard let (asker, login) = trace.pendingLogin, asker == connection else { return }
            let slot = DeviceSlot(user: login.user, device: login.device.id)
            guard login.mode != .resume else {
                // A resumed login counts only if its credential was never the user's own. The reply does not show this.
                if case .loginAck(let reply) = frame.body, reply.status == .wrongCredential {
                    forget(slot, at: event.time)
                }
                return
            }
            // A login that arrives late, over an older connection, also counts.
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
            // An accepted login counts, and its penalty may last longer than the period in which the count is unknown.
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

    /// Makes the number of the device's logins unknown, together with a penalty that they may have caused.
    private mutating func forget(_ slot: DeviceSlot, at now: Instant) {
        unknownUntil[slot] = now + policy.loginRateWindow + policy.loginRatePenalty
        (loginTimes[slot], refusedUntil[slot]) = (nil, nil)
    }

    /// Counts a login and checks the rate limit. A refused login does not count.
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
