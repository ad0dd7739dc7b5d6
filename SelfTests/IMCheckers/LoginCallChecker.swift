import IMClient
import IMProtocol
import IMSession

/// Checks the results of the app's own logins. An automatic login completes once (P13). An offline login is only for
/// the last user (ZIM-1). After a kick, a logout or a wrong password, no automatic login starts (NIM-3).
struct LoginCallChecker: Checker {
    private let policy: ClientPolicy
    private var lastUser: String?
    /// The offline logins in progress: the user and the remaining lifetime of the token in milliseconds; the lifetime
    /// is nil for a token that does not expire.
    private var offline: [CommandID: (user: String, life: Int64?)] = [:]
    private var automaticLogins = 0
    private var ends = 0
    /// True if the last login of the device ended by a kick or a logout.
    private var isOver = false
    /// The smallest delay, in milliseconds, with which this process received the server's time; nil before it received
    /// the time. The client uses the server's time instead of the device's (C-10).
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
            violations.add(.logins, "C-6", "a reconnect requests a new login", "\(login.mode)")
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
            violations.add(.logins, "NIM-3", "an automatic login starts although it is forbidden")
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
                violations.add(
                    .logins, "ZIM-1", "an offline login is accepted with a token that expires too soon", "\(life) ms")
            }
            guard user != lastUser else { return }
            let detail = "\(user), the last user is \(lastUser ?? "nobody")"
            violations.add(.logins, "ZIM-1", "an offline login of a user who is not the last one is accepted", detail)
        case .effect(.notify(.autologinFailed(let status))): if Self.forbids(status) { isOver = true }
        case .effect(.notify(.autologinCompleted(let status))):
            if Self.forbids(status) { isOver = true }
            ends += 1
            guard ends > automaticLogins else { return }
            violations.add(.logins, "P13", "the end of an automatic login is notified more than once", "\(ends)")
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
        let detail = life.map { "\($0) ms" } ?? "without end"
        violations.add(.logins, "ZIM-1", "an offline login is refused although its token is valid", detail)
    }

    /// True if no automatic login may start after a login was refused with a status, until a manual login succeeds
    /// (NIM-3, CHAT-10).
    private static func forbids(_ status: Status) -> Bool { [.wrongCredential, .banned].contains(status) }
}

extension Status {
    /// True if a call ended because the server was not reached.
    fileprivate var isUnreached: Bool { [.timeout, .networkUnavailable, .connectionFailed].contains(self) }
}
