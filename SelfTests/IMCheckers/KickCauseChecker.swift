import IMClient
import IMProtocol
import IMServer
import IMSession

/// A kick names the cause of the end: another login and its device with name and extension (CHAT-5, C-5), another
/// device's request, or the operator (NIM-12). This holds for a kick at once and for one at the next contact.
struct KickCauseChecker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The possible causes for the end of a device's login.
    private struct Held {
        var epoch: LoginEpoch
        var causes: [Cause] = []
    }

    private struct Cause: Equatable {
        var reason: KickReason
        var by: Device?
    }

    private var held: [DeviceSlot: Held] = [:]
    /// The login before, from another process on the device (RTM-6).
    private var before: [DeviceSlot: Held] = [:]
    private var isPolicyChanged = false
    /// Devices that have logged out. If the server keeps too many devices, it drops these first (C-6).
    private var left: Set<DeviceSlot> = []
    /// The maximum number of devices that the server keeps per user; nil if no session reaches it.
    private var keptMax: Int?

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, let command)): handleCommand(command)
        case .input(.frame(let connection, let frame)): came(frame, trace.carried[connection])
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok: accepted(reply.epoch, on: connection, trace)
            // A refusal that reports the cause may get lost, and is not repeated.
            case .loginAck: if let asking = trace.asking { note(Cause(reason: .server), of: asking.login.user) }
            case .kicked(let notice): kicked(notice, on: connection, trace, into: &violations)
            default: break
            }
        default: break
        }
    }

    private mutating func handleCommand(_ command: ServerCommand) {
        switch command {
        case .setPolicy("devices-kept-max", let count): keptMax = Int(count)
        case .setPolicy: isPolicyChanged = true
        case .kick(let user, let device): note(Cause(reason: .server), of: user, on: device ?? "")
        case .banAccount(let user): note(Cause(reason: .banned), of: user)
        case .deleteAccount(let user): note(Cause(reason: .accountRemoved), of: user)
        case .passwordChanged(let user), .revokeTokens(let user):
            note(Cause(reason: .passwordChanged), of: user)
        default: break
        }
    }

    private mutating func came(_ frame: Frame, _ carried: ServerTrace.Accepted?) {
        switch frame.body {
        case .login(let login): note(Cause(reason: .otherLogin, by: login.device), of: login.user)
        case .kick(let device):
            guard let carried else { return }
            note(Cause(reason: .otherDevice, by: carried.device), of: carried.slot.user, on: device)
        // A login attempt that was sent before the logout and arrives after it has no effect.
        case .logout:
            guard let carried else { return }
            held[carried.slot]?.causes.append(Cause(reason: .server))
            before[carried.slot]?.causes.append(Cause(reason: .server))
            left.insert(carried.slot)
        case .accountCall(let call):
            switch call.action {
            case .kick(let device): note(Cause(reason: .otherDevice), of: call.user, on: device)
            case .kickAll: note(Cause(reason: .otherDevice), of: call.user)
            case .listDevices: break
            }
        default: break
        }
    }

    /// - Parameter device: the only device whose login it can have ended; empty for all devices of the user.
    private mutating func note(_ cause: Cause, of user: String, on device: String = "") {
        for slot in held.keys where slot.user == user && (device.isEmpty || slot.device == device) {
            if held[slot]?.causes.contains(cause) == false { held[slot]?.causes.append(cause) }
            if before[slot]?.causes.contains(cause) == false { before[slot]?.causes.append(cause) }
        }
    }

    private mutating func accepted(_ epoch: LoginEpoch, on connection: ConnectionID, _ trace: ServerTrace) {
        guard let slot = trace.carried[connection]?.slot, held[slot]?.epoch != epoch else { return }
        // Also for a known device, because the server may have dropped it.
        makeRoom(for: slot)
        left.remove(slot)
        before[slot] = held[slot]
        held[slot] = Held(epoch: epoch)
    }

    /// The server may store one more device.
    private mutating func makeRoom(for newcomer: DeviceSlot) {
        guard let keptMax else { return }
        let known = held.keys.filter { $0.user == newcomer.user && $0 != newcomer }
        let gone = known.filter(left.contains).sorted().prefix(max(0, known.count + 1 - keptMax))
        for slot in gone {
            held[slot] = nil
            left.remove(slot)
        }
        // A dropped device is notified that the operator ended its login.
        if known.count - gone.count + 1 > keptMax { note(Cause(reason: .server), of: newcomer.user) }
    }

    private func kicked(
        _ notice: KickNotice, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        let asking = trace.asking.flatMap { $0.connection == connection ? $0.login : nil }
        let slot = trace.carried[connection]?.slot ?? asking.map { DeviceSlot(user: $0.user, device: $0.device.id) }
        guard let slot,
            let held = [held[slot], before[slot]].compactMap(\.self).first(where: { $0.epoch == notice.epoch })
        else { return }
        // Another policy may leave no slot for a returning device, whatever devices are online.
        guard !isPolicyChanged || asking == nil || notice.by != nil else { return }
        guard !held.causes.contains(Cause(reason: notice.reason, by: notice.by)) else { return }
        // By then the server may have dropped the device that caused it.
        guard keptMax == nil || notice.by != nil || !held.causes.contains(where: { $0.reason == notice.reason })
        else { return }
        let detail = "\(notice.reason.name) by \(notice.by?.id ?? "nobody"), of \(slot.user) on \(slot.device)"
        violations.append(Violation(.kicks, "NIM-12", "a kick that nobody caused", detail))
    }
}
