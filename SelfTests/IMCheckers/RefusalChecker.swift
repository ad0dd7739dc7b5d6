import IMClient
import IMProtocol
import IMServer
import IMSession

/// A login is refused only for a true reason: "banned" only for a banned user, "wrong" only for a wrong credential,
/// "taken" only for a taken slot, and "logged in elsewhere" only after another device's login (C-11, CHAT-3, NIM-4,
/// NIM-7).
struct RefusalChecker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private let policy: ServerPolicy
    /// Users that the operator banned or tried to ban.
    private var banned: Set<String> = []
    /// Users whose earlier credentials may be invalid, or whose account may be deleted.
    private var revoked: Set<String> = []
    private var refused: Set<String> = []
    /// The devices that have logged in since the start and have not been observed to leave.
    private var isPolicyChanged = false
    private var last: [String: String] = [:]
    private var present: [DeviceSlot: Device] = [:]

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, let command)): handleCommand(command)
        case .effect(.presence(let user, let device, let change)):
            if change != .online { present[DeviceSlot(user: user, device: device)] = nil }
        case .effect(.send(let connection, let frame)):
            guard case .loginAck(let reply) = frame.body, let (asking, login) = trace.asking, asking == connection
            else { return }
            if reply.status == .ok { accepted(login) } else { check(login, reply.status, into: &violations) }
        default: break
        }
    }

    private mutating func handleCommand(_ command: ServerCommand) {
        switch command {
        case .setPolicy: isPolicyChanged = true
        case .banAccount(let user): banned.insert(user)
        case .deleteAccount(let user), .passwordChanged(let user), .revokeTokens(let user):
            revoked.insert(user)
        case .setRefusal(let user, _): refused.insert(user)
        default: break
        }
    }

    private mutating func accepted(_ login: LoginRequest) {
        present[DeviceSlot(user: login.user, device: login.device.id)] = login.device
        if login.mode != .resume { last[group(of: login)] = login.device.id }
    }

    private func group(of login: LoginRequest) -> String {
        "\(login.user) \(SlotLimitChecker.group(of: login.device, policy))"
    }

    private func check(_ login: LoginRequest, _ status: Status, into violations: inout [Violation]) {
        guard !refused.contains(login.user) else { return }
        let detail = "\(login.user) on \(login.device.id), a \(login.mode) login: \(status.name)"
        switch status {
        case .banned:
            guard !banned.contains(login.user) else { return }
            violations.append(Violation(.logins, "NIM-7", "who is not banned is refused so", detail))
        case .wrongCredential:
            guard case .verdict(let verdict) = login.credential, verdict.finding == .valid,
                verdict.user == login.user, !revoked.contains(login.user), policy.makesAccounts
            else { return }
            violations.append(Violation(.logins, "C-11", "a right credential is called wrong", detail))
        case .loggedInElsewhere:
            if login.mode == .forced {
                return violations.append(
                    Violation(.logins, "NIM-4", "a forced automatic login is refused like any other", detail))
            }
            guard !isPolicyChanged, last[group(of: login)] == login.device.id || last[group(of: login)] == nil else {
                return
            }
            violations.append(Violation(.logins, "NIM-4", "behind no other device's login, and refused as if", detail))
        case .tooManyDevices, .deviceChanged:
            guard !isPolicyChanged, policy.takenPlace != .kicksCurrent || status == .deviceChanged else { return }
            let isAlone = !present.contains { slot, _ in
                slot.user == login.user && slot.device != login.device.id
            }
            if isAlone { violations.append(Violation(.places, "CHAT-3", "a free place is called taken", detail)) }
        default: break
        }
    }
}
