import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Logins that must be refused: offline logins of another user (ZIM-1), automatic logins after another device's login
/// (NIM-4), and too many in a minute. A login that has waited long enough is not one too many (NIM-8, RTM-9).
struct LoginRuleChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private var policy: ServerPolicy
    /// The times of the counted logins of each device, and the end of its penalty.
    private var loginTimes: [DeviceSlot: [Instant]] = [:]
    private var refusedUntil: [DeviceSlot: Instant] = [:]
    /// Until this time the number of the device's logins is unknown, because a refusal may have come before the
    /// counting.
    private var unknownUntil: [DeviceSlot: Instant] = [:]

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func begin(with policy: ServerPolicy) { self = LoginRuleChecker(policy) }

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
            violations.append(Violation(.logins, "NIM-8", "refused as one of too many, though it was not"))
        }
        if reply.status == .ok, isTooOften {
            violations.append(Violation(.logins, "NIM-8", "one of too many logins is let in"))
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

/// Checks the results of the app's own logins: an automatic login ends once (P13), an offline login is only for the
/// last user (ZIM-1), and after a kick, a logout or a wrong password no automatic login starts (NIM-3).
struct LoginCallChecker: Checker {
    private let policy: ClientPolicy
    private var lastUser: String?
    /// The offline logins in progress: the user and the remaining lifetime of the token, in milliseconds; nil if it
    /// does not expire.
    private var offline: [CommandID: (user: String, life: Int64?)] = [:]
    private var automaticLogins = 0
    private var ends = 0
    /// True if the last login of the device ended by a kick or a logout.
    private var isOver = false
    /// The smallest delay, in milliseconds, with which this process received the server's time; nil if it has not. The
    /// server's time takes precedence over the device's (C-10).
    private var lateness: Int64?
    private var manual: Set<CommandID> = []
    /// True if the server has accepted the current login.
    private var isAdmitted = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let epoch = trace.epochMilliseconds
        switch event.content {
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            if case .loginAck(let reply) = frame.body, reply.status == .ok {
                let late = epoch + event.time.nanoseconds / 1_000_000 - reply.serverTimeMilliseconds
                lateness = min(lateness ?? late, late)
                isAdmitted = true
            }
        case .effect(.send(_, let frame)):
            guard case .login(let login) = frame.body, isAdmitted, login.mode != .resume, login.mode != .guest else {
                return
            }
            let detail = "\(login.mode)"
            violations.append(Violation(.logins, "C-6", "who comes back asks for a login of its own right", detail))
        case .start(let start):
            (lateness, isAdmitted) = (nil, false)
            (automaticLogins, ends) = (0, 0)
            offline.removeAll()
            if case .client(_, _, let local, _, _, _) = start.body { lastUser = local.lastUser }
        case .effect(.persist(let data)): lastUser = data.lastUser
        case .effect(.connect):
            guard isOver, case .clientCommand(_, .login(let call))? = trace.input,
                [.automatic, .forced].contains(call.mode)
            else { return }
            violations.append(Violation(.logins, "NIM-3", "an automatic login goes out behind what forbids it"))
        case .effect(.transition(let change)):
            if change.to == .kicked || change.reason == .logout { isOver = true }
            if change.to.isOver { isAdmitted = false }
        case .input(.clientCommand(let id, .login(let call))):
            let (mode, clock) = (call.mode, call.clock)
            isAdmitted = false
            if mode == .manual { manual.insert(id) }
            if mode == .offline {
                let servers = lateness.map { epoch + event.time.nanoseconds / 1_000_000 - $0 }
                let time = servers ?? clock.deviceMilliseconds
                let isTimed = clock.expiresAtMilliseconds > 0 && time > 0
                offline[id] = (call.user, isTimed ? clock.expiresAtMilliseconds - time : nil)
            }
            if [.automatic, .forced].contains(mode) { automaticLogins += 1 }
        case .effect(.complete(let id, let completion)):
            if manual.remove(id) != nil {
                if completion.status == .ok { isOver = false }
                if Self.forbids(completion.status)
                    || policy.failedLoginForbidsAutologin && completion.status.isUnreached
                {
                    isOver = true
                }
            }
            guard let (user, life) = offline.removeValue(forKey: id) else { return }
            if case .clientCommand(id, _)? = trace.input {
                check(completion.status, ofALoginWith: life, into: &violations)
            }
            guard completion.status == .ok else { return }
            if let life, life < policy.offlineTokenMin.inMilliseconds {
                violations.append(
                    Violation(.logins, "ZIM-1", "an offline login with a token that ends too soon", "\(life) ms"))
            }
            guard user != lastUser else { return }
            let detail = "\(user), after \(lastUser ?? "nobody")"
            violations.append(Violation(.logins, "ZIM-1", "an offline login of another than the last user", detail))
        case .effect(.notify(.autologinFailed(let status))): if Self.forbids(status) { isOver = true }
        case .effect(.notify(.autologinCompleted(let status))):
            if Self.forbids(status) { isOver = true }
            ends += 1
            guard ends > automaticLogins else { return }
            violations.append(Violation(.logins, "CHAT-9", "an automatic login ends more than once", "\(ends)"))
        default: break
        }
    }

    /// Checks that an offline login is not refused for a token that is valid for long enough.
    ///
    /// - Parameter life: in milliseconds; nil if the token does not expire.
    private func check(_ status: Status, ofALoginWith life: Int64?, into violations: inout [Violation]) {
        let least: Int64? =
            switch status {
            case .credentialTooShort: policy.offlineTokenMin.inMilliseconds
            case .credentialExpired: 0
            default: nil
            }
        // One second of tolerance for the delay of the server's time.
        guard let least, life.map({ $0 > least + 1000 }) ?? true else { return }
        let detail = life.map { "\($0) ms" } ?? "for ever"
        violations.append(Violation(.logins, "ZIM-1", "an offline login is refused for a token that is good", detail))
    }

    /// These answers forbid automatic logins until a manual login (NIM-3, CHAT-10).
    private static func forbids(_ status: Status) -> Bool { [.wrongCredential, .banned].contains(status) }
}

extension Status {
    /// True if a call ended because the server was not reached.
    fileprivate var isUnreached: Bool { [.timeout, .networkUnavailable, .connectionFailed].contains(self) }
}
