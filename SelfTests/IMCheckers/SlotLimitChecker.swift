import IMProtocol
import IMServer
import IMSession

/// Checks how many devices of a user are logged in at the same time. The devices are counted from the frames, with an
/// independent implementation of the exclusion rules (NIM-11, ZIM-7, CHAT-2).
struct SlotLimitChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private var connected: [DeviceSlot: Device] = [:]
    /// Disconnected devices whose logins may still occupy their slots.
    private var disconnected: [DeviceSlot: Device] = [:]
    /// True if the policy changed after a login. The earlier logins may exceed the limits of the new policy.
    private var hasPolicyChanged = false
    /// The devices whose login the current login request ended. `isAdmitted` is true if that request was accepted.
    private var ended: [(slot: DeviceSlot, device: Device)] = []
    private var isAdmitted = false
    private var checkedPolicy: ServerPolicy?
    /// True if the server was restarted after a login. There may then be logins that the checker has not observed.
    private var wasRestarted = false
    /// True after the first login.
    private var hasLogins = false

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        if case .input = event.content, !ended.isEmpty {
            if let checkedPolicy { checkNecessity(checkedPolicy, into: &violations) }
            ended.removeAll()
            isAdmitted = false
        }
        switch event.content {
        // After a server restart, a resuming device continues a login from before the restart.
        case .start, .stop:
            connected.removeAll()
            disconnected.removeAll()
            wasRestarted = hasLogins
            ended.removeAll()
        case .input(.serverCommand(_, .setPolicy)): hasPolicyChanged = hasLogins || hasPolicyChanged
        case .effect(.presence(let user, let device, let change)):
            let slot = DeviceSlot(user: user, device: device)
            disconnected[slot] = change == .offline ? connected[slot] : nil
            if change != .online { connected[slot] = nil }
        case .effect(.send(let connection, let frame)):
            if case .kicked(let notice) = frame.body, notice.reason == .otherLogin,
                let acceptedLogin = trace.acceptedLogins[connection], let policy = trace.currentPolicy()
            {
                checkEarliest(acceptedLogin.slot, acceptedLogin.device, trace, policy, into: &violations)
                if let pendingLogin = trace.pendingLogin, pendingLogin.login.mode == .manual,
                    pendingLogin.login.device.id != acceptedLogin.device.id
                {
                    ended.append((acceptedLogin.slot, acceptedLogin.device))
                    checkedPolicy = policy
                }
                if policy.takenPlace == .keepsCurrent, let pendingLogin = trace.pendingLogin,
                    pendingLogin.connection != connection,
                    // A new process of a device takes the slot of that device (C-6).
                    pendingLogin.login.device.id != acceptedLogin.device.id,
                    [.automatic, .forced, .resume].contains(pendingLogin.login.mode)
                {
                    let detail = "\(pendingLogin.login.device.id) of \(pendingLogin.login.user)"
                    violations.add(.places, "CHAT-3", "an automatic login takes the slot of another device", detail)
                }
            }
            // The exception is a client that violates the protocol: the server disconnects it.
            if case .presence(let user, let change) = frame.body, change != .online,
                let pendingLogin = trace.pendingLogin,
                user == pendingLogin.login.user, !trace.linksOfEndedLogins.contains(pendingLogin.connection)
            {
                violations.add(.presence, "ZIM-5", "watchers see a user go offline who logs in on another device", user)
            }
            guard case .loginAck(let reply) = frame.body, reply.status == .ok,
                let accepted = trace.acceptedLogins[connection]
            else { return }
            hasLogins = true
            isAdmitted = true
            connected[accepted.slot] = accepted.device
            guard !hasPolicyChanged, accepted.mode != .guest, let policy = trace.currentPolicy() else { return }
            check(accepted.slot.user, policy, into: &violations)
        default: break
        }
    }

    /// Checks that the earliest login ends if one device is too many (ZIM-7, CHAT-2).
    private func checkEarliest(
        _ ended: DeviceSlot, _ device: Device, _ trace: ServerTrace, _ policy: ServerPolicy,
        into violations: inout [Violation]
    ) {
        guard !hasPolicyChanged, policy.takenPlace != .kicksCurrent || trace.pendingLogin?.login.mode == .manual,
            let endedSince = trace.logins[ended]?.since, let pendingLogin = trace.pendingLogin,
            // A new process of a device ends the earlier process, even if there are free slots (C-6).
            ended.device != pendingLogin.login.device.id
        else { return }
        for (slot, other) in connected.sorted(by: { $0.key < $1.key }) where slot.user == ended.user && slot != ended {
            guard slot.device != pendingLogin.login.device.id,
                Self.group(of: other, policy) == Self.group(of: device, policy),
                let otherSince = trace.logins[slot]?.since, otherSince < endedSince
            else { continue }
            let detail = "\(ended.device) of \(ended.user), not \(slot.device)"
            return violations.add(.places, "CHAT-2", "the ended login is not the earliest one", detail)
        }
    }

    /// Checks that no device is kicked if there was a free slot (ZIM-7, NIM-11).
    private func checkNecessity(_ policy: ServerPolicy, into violations: inout [Violation]) {
        guard !hasPolicyChanged, !wasRestarted, isAdmitted else { return }
        for (slot, device) in ended where connected[slot] == nil {
            let others = connected.merging(disconnected) { one, _ in one }.filter { $0.key.user == slot.user }.map(
                \.value)
            let group = Self.group(of: device, policy)
            let groupCount = others.count { Self.group(of: $0, policy) == group }
            guard groupCount < Self.slotCount(of: group, policy) else { continue }
            if Self.isBounded(policy), others.count >= policy.deviceCountMax { continue }
            violations.add(
                .places, "ZIM-7", "a login is ended although there was a free slot", "\(slot.device) of \(slot.user)")
        }
    }

    private static func isBounded(_ policy: ServerPolicy) -> Bool {
        [.mobileDesktop, .multi, .unlimited].contains(policy.exclusion)
    }

    private func check(_ user: String, _ policy: ServerPolicy, into violations: inout [Violation]) {
        let devices = connected.filter { $0.key.user == user }.map(\.value)
        var groups: [String: Int] = [:]
        for device in devices { groups[Self.group(of: device, policy), default: 0] += 1 }
        for (group, count) in groups.sorted(by: { $0.key < $1.key }) {
            let most = Self.slotCount(of: group, policy)
            guard count > most else { continue }
            let detail = "\(count) of \(user) in \(group), limit \(most)"
            violations.add(.places, "NIM-11", "there are more logins than slots in a group", detail)
        }
        if Self.isBounded(policy), devices.count > policy.deviceCountMax {
            violations.add(
                .places, "ZIM-7", "there are more logins than the policy allows", "\(devices.count) of \(user)")
        }
    }

    private static func slotCount(of group: String, _ policy: ServerPolicy) -> Int {
        switch policy.exclusion {
        case .none: .max
        case .unlimited, .perPlatform: policy.deviceCountMax
        case .single, .mobileDesktop, .dual, .multi: group == "beside" ? .max : 1
        }
    }

    static func group(of device: Device, _ policy: ServerPolicy) -> String {
        switch policy.exclusion {
        case .single, .unlimited, .none: return "all"
        case .mobileDesktop:
            switch device.platform {
            case .ios, .ipad, .android, .windowsPhone, .harmony: return "mobile"
            case .windows, .macos, .linux, .web, .miniProgram: return "desktop"
            case .unknown, .server: return "beside"
            }
        case .dual: return device.platform == .web ? "web" : "not web"
        case .multi:
            switch device.platform {
            case .ios, .android: return "mobile"
            case .windows, .macos: return "desktop"
            default: return "beside"
            }
        case .perPlatform:
            if device.osType != 0 { return "type \(device.osType)" }
            return device.platform == .ipad ? "ios" : "\(device.platform)"
        }
    }
}
