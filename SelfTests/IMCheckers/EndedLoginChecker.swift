import IMProtocol
import IMServer
import IMSession

/// Models the current logins, to check logins that ended while their device could not be notified. A kicked device is
/// notified at its next contact, even if the server restarted in between (C-7, P6). An automatic login is refused after
/// another device's login (NIM-4). The server handles no requests over a connection whose login has ended (C-5).
struct EndedLoginChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private struct Held {
        var device: Device
        var epoch: LoginEpoch
    }

    private let policy: ServerPolicy
    /// The current logins, connected or not.
    private var held: [DeviceSlot: Held] = [:]
    /// The ended logins whose device has not been notified and has not logged in manually since, and whether another
    /// login ended them.
    private var owed: [DeviceSlot: (epoch: LoginEpoch, isByOther: Bool)] = [:]
    /// The device that logged in last, by user and group.
    private var last: [String: String] = [:]
    /// Connections whose login has ended.
    private var ended: Set<ConnectionID> = []
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func begin(with policy: ServerPolicy) { self = EndedLoginChecker(policy) }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: ended.removeAll()
        case .input(let input): handleInput(input, trace)
        case .effect(.send(let connection, let frame)): sent(frame, on: connection, trace, into: &violations)
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ trace: ServerTrace) {
        switch input {
        case .serverCommand(_, .setPolicy): isPolicyChanged = true
        case .serverCommand(_, .kick(let user, nil)): end(user)
        // The server may report these ends as a refusal of the next login (NIM-7), so no kick is expected. A user who
        // is created again is a new account and gets no notification about the old one.
        case .serverCommand(_, .banAccount(let user)), .serverCommand(_, .passwordChanged(let user)),
            .serverCommand(_, .revokeTokens(let user)), .serverCommand(_, .addAccount(let user)),
            .serverCommand(_, .deleteAccount(let user)):
            forget(user)
        case .frame(let connection, let frame):
            guard let carried = trace.carried[connection] else { return }
            if case .logout = frame.body { held[carried.slot] = nil }
            if case .kickedAck = frame.body { owed[carried.slot] = nil }
        default: break
        }
    }

    private mutating func forget(_ user: String) {
        held = held.filter { $0.key.user != user }
        owed = owed.filter { $0.key.user != user }
    }

    /// - Parameters:
    ///   - device: the only device whose login ends; nil for all.
    ///   - other: the device whose login stays.
    private mutating func end(_ user: String, device: String? = nil, besides other: String? = nil) {
        for (slot, login) in held where slot.user == user {
            guard slot.device != other, device == nil || slot.device == device else { continue }
            owed[slot] = (login.epoch, isByOther: false)
            held[slot] = nil
        }
    }

    private mutating func sent(
        _ frame: Frame, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        switch frame.body {
        case .kicked(let notice):
            ended.insert(connection)
            if let carried = trace.carried[connection] {
                held[carried.slot] = nil
                // If a new process replaces an earlier one on the same device, the server does not notify the earlier
                // one (C-6).
                let asking = trace.asking?.login
                let isByItself = asking?.device.id == carried.slot.device && asking?.user == carried.slot.user
                owed[carried.slot] = (carried.epoch, isByOther: notice.reason == .otherLogin)
                if isByItself { owed[carried.slot] = nil }
            } else if let asking = trace.asking {
                // This kick answers the device's login request, so the device has now been notified.
                owed[DeviceSlot(user: asking.login.user, device: asking.login.device.id)] = nil
                held[DeviceSlot(user: asking.login.user, device: asking.login.device.id)] = nil
            }
        case .loginAck(let reply):
            guard let asking = trace.asking, asking.connection == connection else { return }
            reply.status == .ok
                ? accepted(asking.login, reply.epoch, on: connection, into: &violations)
                : refused(asking.login, reply)
        case .kickAck(.ok):
            guard case .frame(_, let request)? = trace.input, case .kick(let target) = request.body,
                let carried = trace.carried[connection]
            else { return }
            end(carried.slot.user, device: target.isEmpty ? nil : target, besides: carried.slot.device)
        case .accountCallAck(.ok, _):
            if case .frame(_, let request)? = trace.input, case .accountCall(let call) = request.body,
                call.action == .kickAll
            {
                end(call.user)
            }
        case .sendAck(.ok, _), .sendAck(.stored, _), .joinAck(.ok, _, _), .operationAck(.ok):
            guard ended.contains(connection) else { return }
            violations.add(.kicks, "C-5", "an ended login is still served", frame.body.name)
        default: break
        }
    }

    private mutating func refused(_ login: LoginRequest, _ reply: LoginReply) {
        if reply.status != .rateLimited { owed[DeviceSlot(user: login.user, device: login.device.id)] = nil }
    }

    private mutating func accepted(
        _ login: LoginRequest, _ epoch: LoginEpoch, on connection: ConnectionID, into violations: inout [Violation]
    ) {
        let slot = DeviceSlot(user: login.user, device: login.device.id)
        ended.remove(connection)
        var detail: String { "\(slot.user) on \(slot.device), a \(login.mode) login" }
        // True if the device may take its slot back. The policy permits this after a login of another device, but not
        // after a kick by the operator.
        let mayKick = policy.takenPlace == .kicksCurrent || isPolicyChanged
        let mayReturn = isPolicyChanged || policy.takenPlace != .kicked && owed[slot]?.isByOther == true
        // True if an automatic login may take the slot. If the policy does not check the last device, a newly started
        // app takes the slot. If the policy counts devices of all groups together, a device of another group may have
        // ended the last login of this group (NIM-4).
        let group = "\(login.user) \(SlotLimitChecker.group(of: login.device, policy))"
        let isLast = !policy.checksLastDevice || last[group] == slot.device
        let mayComeFirst = login.mode == .automatic && owed[slot]?.isByOther == true && isLast
        // A forced login succeeds even if another device has logged in in the meantime (NIM-4, S-1).
        let asksNobody = login.mode == .forced && owed[slot]?.isByOther == true
        if owed[slot] != nil, login.mode != .manual, login.mode != .guest, !mayReturn, !asksNobody, !mayComeFirst {
            violations.add(.kicks, "C-7", "a kicked device is accepted without a notice of the kick", detail)
        }
        let isExclusive = ![.unlimited, .none].contains(policy.exclusion)
        if login.mode == .automatic, policy.checksLastDevice, isExclusive, !isPolicyChanged, let other = last[group],
            other != login.device.id
        {
            violations.add(.logins, "NIM-4", "an automatic login is accepted after the login of another device", detail)
        }
        owed[slot] = nil
        // This checker does not model policies under which a disconnected device keeps its slot or frees it.
        let excludes = [.single, .mobileDesktop, .dual, .multi].contains(policy.exclusion)
        if excludes, login.mode != .resume, login.mode != .guest, !mayKick, !policy.offlineFreesPlace,
            !group.hasSuffix("beside")
        {
            for (other, login) in held where other.user == slot.user && other != slot {
                guard "\(other.user) \(SlotLimitChecker.group(of: login.device, policy))" == group else { continue }
                owed[other] = (login.epoch, isByOther: true)
                held[other] = nil
            }
        }
        // This checker does not model which device the server kicks under this policy, so it drops all logins of the
        // user.
        if policy.takenPlace == .kicksCurrent { held = held.filter { $0.key.user != slot.user } }
        held[slot] = Held(device: login.device, epoch: epoch)
        if login.mode != .resume { last[group] = login.device.id }
    }
}
