import IMProtocol
import IMServer
import IMSession

/// Models the current logins, to check logins that ended while their device could not be notified. A kicked device is
/// notified at its next contact, even if the server restarted in between (C-7, P6). An automatic login is refused after
/// another device's login (NIM-4). The server handles no requests over a connection whose login has ended (C-5).
struct EndedLoginChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private struct CurrentLogin {
        var device: Device
        var epoch: LoginEpoch
    }

    private let policy: ServerPolicy
    /// The current logins, connected or not.
    private var currentLogins: [DeviceSlot: CurrentLogin] = [:]
    /// The ended logins whose device has not been notified and has not logged in manually since, and whether another
    /// login ended them.
    private var unnotified: [DeviceSlot: (epoch: LoginEpoch, isByOther: Bool)] = [:]
    /// The device that logged in last, by user and group.
    private var lastDevice: [String: String] = [:]
    /// Connections whose login has ended.
    private var endedLinks: Set<ConnectionID> = []
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func begin(with policy: ServerPolicy) { self = EndedLoginChecker(policy) }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: endedLinks.removeAll()
        case .input(let input): handleInput(input, trace)
        case .effect(.send(let connection, let frame)): sent(frame, on: connection, trace, into: &violations)
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ trace: ServerTrace) {
        switch input {
        case .serverCommand(_, .setPolicy): isPolicyChanged = true
        case .serverCommand(_, .kick(let user, nil)): end(user)
        // The server may report the end of the user's logins by refusing the next login (NIM-7), so no kick is
        // expected. A user who is created again is a new account and gets no notification about the old one.
        case .serverCommand(_, .banAccount(let user)), .serverCommand(_, .passwordChanged(let user)),
            .serverCommand(_, .revokeTokens(let user)), .serverCommand(_, .addAccount(let user)),
            .serverCommand(_, .deleteAccount(let user)):
            forget(user)
        case .frame(let connection, let frame):
            guard let acceptedLogin = trace.acceptedLogins[connection] else { return }
            if case .logout = frame.body { currentLogins[acceptedLogin.slot] = nil }
            if case .kickedAck = frame.body { unnotified[acceptedLogin.slot] = nil }
        default: break
        }
    }

    private mutating func forget(_ user: String) {
        currentLogins = currentLogins.filter { $0.key.user != user }
        unnotified = unnotified.filter { $0.key.user != user }
    }

    /// - Parameters:
    ///   - device: the only device whose login ends; nil for all.
    ///   - other: the device whose login continues.
    private mutating func end(_ user: String, device: String? = nil, besides other: String? = nil) {
        for (slot, login) in currentLogins where slot.user == user {
            guard slot.device != other, device == nil || slot.device == device else { continue }
            unnotified[slot] = (login.epoch, isByOther: false)
            currentLogins[slot] = nil
        }
    }

    private mutating func sent(
        _ frame: Frame, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        switch frame.body {
        case .kicked(let notice):
            endedLinks.insert(connection)
            if let acceptedLogin = trace.acceptedLogins[connection] {
                currentLogins[acceptedLogin.slot] = nil
                // If a new process replaces an earlier one of the same device, the earlier one is not notified (C-6).
                let pendingLogin = trace.pendingLogin?.login
                let isSameDevice =
                    pendingLogin?.device.id == acceptedLogin.slot.device
                    && pendingLogin?.user == acceptedLogin.slot.user
                unnotified[acceptedLogin.slot] = (acceptedLogin.epoch, isByOther: notice.reason == .otherLogin)
                if isSameDevice { unnotified[acceptedLogin.slot] = nil }
            } else if let pendingLogin = trace.pendingLogin {
                // This kick answers the device's login request, so the device has now been notified.
                unnotified[DeviceSlot(user: pendingLogin.login.user, device: pendingLogin.login.device.id)] = nil
                currentLogins[DeviceSlot(user: pendingLogin.login.user, device: pendingLogin.login.device.id)] = nil
            }
        case .loginAck(let reply):
            guard let (requester, login) = trace.pendingLogin, requester == connection else { return }
            if reply.status == .ok {
                accepted(login, reply.epoch, on: connection, into: &violations)
            } else if reply.status != .rateLimited {
                unnotified[DeviceSlot(user: login.user, device: login.device.id)] = nil
            }
        case .kickAck(.ok):
            guard case .frame(_, let request)? = trace.input, case .kick(let target) = request.body,
                let acceptedLogin = trace.acceptedLogins[connection]
            else { return }
            end(acceptedLogin.slot.user, device: target.isEmpty ? nil : target, besides: acceptedLogin.slot.device)
        case .accountCallAck(.ok, _):
            if case .frame(_, let request)? = trace.input, case .accountCall(let call) = request.body,
                call.action == .kickAll
            {
                end(call.user)
            }
        case .sendAck(.ok, _), .sendAck(.stored, _), .joinAck(.ok, _, _), .operationAck(.ok):
            guard endedLinks.contains(connection) else { return }
            violations.add(.kicks, "C-5", "an ended login is still served", frame.body.name)
        default: break
        }
    }

    private mutating func accepted(
        _ login: LoginRequest, _ epoch: LoginEpoch, on connection: ConnectionID, into violations: inout [Violation]
    ) {
        let slot = DeviceSlot(user: login.user, device: login.device.id)
        endedLinks.remove(connection)
        var detail: String { "\(slot.user) on \(slot.device), a \(login.mode) login" }
        // True if the device may take its slot back. The policy permits this after a login of another device, but not
        // after a kick by the operator.
        let mayKick = policy.takenPlace == .kicksCurrent || isPolicyChanged
        let mayReturn = isPolicyChanged || policy.takenPlace != .kicked && unnotified[slot]?.isByOther == true
        // True if an automatic login may take the slot. If the policy does not check the last device, a newly started
        // app takes the slot. If the policy counts devices of all groups together, a device of another group may have
        // ended the last login of this group (NIM-4).
        let group = "\(login.user) \(SlotLimitChecker.group(of: login.device, policy))"
        let isLast = !policy.checksLastDevice || lastDevice[group] == slot.device
        let mayTakeSlot = login.mode == .automatic && unnotified[slot]?.isByOther == true && isLast
        // A forced login succeeds even if another device has logged in in the meantime (NIM-4, S-1).
        let isForcedReturn = login.mode == .forced && unnotified[slot]?.isByOther == true
        if unnotified[slot] != nil, login.mode != .manual, login.mode != .guest, !mayReturn, !isForcedReturn,
            !mayTakeSlot
        {
            violations.add(.kicks, "C-7", "a kicked device is accepted without a notice of the kick", detail)
        }
        let isExclusive = ![.unlimited, .none].contains(policy.exclusion)
        if login.mode == .automatic, policy.checksLastDevice, isExclusive, !isPolicyChanged,
            let other = lastDevice[group],
            other != login.device.id
        {
            violations.add(.logins, "NIM-4", "an automatic login is accepted after the login of another device", detail)
        }
        unnotified[slot] = nil
        // This checker does not model policies under which a disconnected device keeps its slot or frees it.
        let excludes = [.single, .mobileDesktop, .dual, .multi].contains(policy.exclusion)
        if excludes, login.mode != .resume, login.mode != .guest, !mayKick, !policy.offlineFreesPlace,
            !group.hasSuffix("beside")
        {
            for (other, login) in currentLogins where other.user == slot.user && other != slot {
                guard "\(other.user) \(SlotLimitChecker.group(of: login.device, policy))" == group else { continue }
                unnotified[other] = (login.epoch, isByOther: true)
                currentLogins[other] = nil
            }
        }
        // This checker does not model which device this policy kicks, so it drops all logins of the user.
        if policy.takenPlace == .kicksCurrent { currentLogins = currentLogins.filter { $0.key.user != slot.user } }
        currentLogins[slot] = CurrentLogin(device: login.device, epoch: epoch)
        if login.mode != .resume { lastDevice[group] = login.device.id }
    }
}
