import IMProtocol
import IMServer
import IMSession

/// Checks how many devices of a user are logged in at the same time. The devices are counted from the frames, with an
/// independent implementation of the exclusion rules (NIM-11, ZIM-7, CHAT-2).
struct SlotLimitChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    private var present: [DeviceSlot: Device] = [:]
    /// Disconnected devices whose logins may still occupy their slots.
    private var away: [DeviceSlot: Device] = [:]
    /// True if the policy changed after a login. The server applies the new policy to later logins only, so the earlier
    /// logins may exceed its limits.
    private var wasChanged = false
    /// The devices whose login ended because of the current login request. `isAdmitted` is true if that request was
    /// accepted.
    private var ended: [(slot: DeviceSlot, device: Device)] = []
    private var isAdmitted = false
    private var checkedPolicy: ServerPolicy?
    /// True if the server was restarted after a login. There may then be logins that the checker has not observed.
    private var wasRestarted = false
    /// True after the first login.
    private var hasLogins = false

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        if case .input = event.content, !ended.isEmpty {
            if let checkedPolicy { checkNeed(checkedPolicy, into: &violations) }
            ended.removeAll()
            isAdmitted = false
        }
        switch event.content {
        // After a server restart, a resuming device continues a login from before the restart.
        case .start, .stop:
            present.removeAll()
            away.removeAll()
            wasRestarted = hasLogins
            ended.removeAll()
        case .input(.serverCommand(_, .setPolicy)): wasChanged = hasLogins || wasChanged
        case .effect(.presence(let user, let device, let change)):
            let slot = DeviceSlot(user: user, device: device)
            away[slot] = change == .offline ? present[slot] : nil
            if change != .online { present[slot] = nil }
        case .effect(.send(let connection, let frame)):
            if case .kicked(let notice) = frame.body, notice.reason == .otherLogin,
                let carried = trace.carried[connection], let policy = trace.currentPolicy()
            {
                checkEarliest(carried.slot, carried.device, trace, policy, into: &violations)
                if let asking = trace.asking, asking.login.mode == .manual, asking.login.device.id != carried.device.id
                {
                    ended.append((carried.slot, carried.device))
                    checkedPolicy = policy
                }
                if policy.takenPlace == .keepsCurrent, let asking = trace.asking, asking.connection != connection,
                    // A new process of a device takes the slot of that device (C-6).
                    asking.login.device.id != carried.device.id,
                    [.automatic, .forced, .resume].contains(asking.login.mode)
                {
                    let detail = "\(asking.login.device.id) of \(asking.login.user)"
                    violations.add(.places, "CHAT-3", "an automatic login takes the slot of another device", detail)
                }
            }
            // The exception is a client that violates the protocol: the server disconnects it.
            if case .presence(let user, let change) = frame.body, change != .online, let asking = trace.asking,
                user == asking.login.user, !trace.over.contains(asking.connection)
            {
                violations.add(.presence, "ZIM-5", "watchers see a user go offline who logs in on another device", user)
            }
            guard case .loginAck(let reply) = frame.body, reply.status == .ok,
                let accepted = trace.carried[connection]
            else { return }
            hasLogins = true
            isAdmitted = true
            present[accepted.slot] = accepted.device
            guard !wasChanged, accepted.mode != .guest, let policy = trace.currentPolicy() else { return }
            check(accepted.slot.user, policy, into: &violations)
        default: break
        }
    }

    /// Checks that the earliest login ends if one device is too many (ZIM-7, CHAT-2).
    private func checkEarliest(
        _ ended: DeviceSlot, _ device: Device, _ trace: ServerTrace, _ policy: ServerPolicy,
        into violations: inout [Violation]
    ) {
        guard !wasChanged, policy.takenPlace != .kicksCurrent || trace.asking?.login.mode == .manual,
            let mine = trace.logins[ended]?.since, let asking = trace.asking,
            // A new process of a device ends the earlier process, even if there are free slots (C-6).
            ended.device != asking.login.device.id
        else { return }
        for (slot, other) in present.sorted(by: { $0.key < $1.key }) where slot.user == ended.user && slot != ended {
            guard slot.device != asking.login.device.id,
                Self.group(of: other, policy) == Self.group(of: device, policy),
                let theirs = trace.logins[slot]?.since, theirs < mine
            else { continue }
            let detail = "\(ended.device) of \(ended.user), not \(slot.device)"
            return violations.add(.places, "CHAT-2", "the ended login is not the earliest one", detail)
        }
    }

    /// Checks that no device is kicked if there was a free slot (ZIM-7, NIM-11).
    private func checkNeed(_ policy: ServerPolicy, into violations: inout [Violation]) {
        guard !wasChanged, !wasRestarted, isAdmitted else { return }
        for (slot, device) in ended where present[slot] == nil {
            let others = present.merging(away) { one, _ in one }.filter { $0.key.user == slot.user }.map(\.value)
            let group = Self.group(of: device, policy)
            let beside = others.count { Self.group(of: $0, policy) == group }
            guard beside < Self.places(of: group, policy) else { continue }
            if Self.isBounded(policy), others.count >= policy.deviceCountMax { continue }
            violations.add(
                .places, "ZIM-7", "a login is ended although there was a free slot", "\(slot.device) of \(slot.user)")
        }
    }

    private static func isBounded(_ policy: ServerPolicy) -> Bool {
        [.mobileDesktop, .multi, .unlimited].contains(policy.exclusion)
    }

    private func check(_ user: String, _ policy: ServerPolicy, into violations: inout [Violation]) {
        let devices = present.filter { $0.key.user == user }.map(\.value)
        var groups: [String: Int] = [:]
        for device in devices { groups[Self.group(of: device, policy), default: 0] += 1 }
        for (group, count) in groups.sorted(by: { $0.key < $1.key }) {
            let most = Self.places(of: group, policy)
            guard count > most else { continue }
            let detail = "\(count) of \(user) in \(group), limit \(most)"
            violations.add(.places, "NIM-11", "there are more logins than slots in a group", detail)
        }
        if Self.isBounded(policy), devices.count > policy.deviceCountMax {
            violations.add(
                .places, "ZIM-7", "there are more logins than the policy allows", "\(devices.count) of \(user)")
        }
    }

    private static func places(of group: String, _ policy: ServerPolicy) -> Int {
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
