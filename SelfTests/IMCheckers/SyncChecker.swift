import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The app is notified of everything that waited for a user's sync before the device logged in, even if parts were lost
/// in transit (NIM-14, CHAT-12).
struct SyncChecker {
    private struct Amount {
        var phase: SyncPhase
        var count: Int
        var time: Instant
    }

    private var amounts: [String: [Amount]] = [:]
    /// The number of items that the app was notified of, by client and user.
    private var notified: [String: [SyncPhase: Int]] = [:]
    private var acceptedAt: [String: Instant] = [:]
    /// The numbers of the items that were sent to each device and not confirmed, and of the confirmed ones.
    private var brought: [ServerTrace.DeviceSlot: [SyncPhase: Set<UInt64>]] = [:]
    private var confirmed: [ServerTrace.DeviceSlot: [SyncPhase: Set<UInt64>]] = [:]

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.frame(let connection, let frame)):
            guard case .syncAck(let phase, let first, let last) = frame.body, first <= last,
                let slot = trace.carried[connection]?.slot, trace.newest[slot] == connection,
                !trace.over.contains(connection)
            else { return }
            let numbers = (brought[slot]?[phase] ?? []).filter { first <= $0 && $0 <= last }
            brought[slot]?[phase]?.subtract(numbers)
            confirmed[slot, default: [:]][phase, default: []].formUnion(numbers)
        case .effect(.send(let connection, let frame)):
            guard case .syncPhase(let phase, _, let items) = frame.body, !trace.forgetsDevices,
                let slot = trace.carried[connection]?.slot
            else { return }
            brought[slot, default: [:]][phase, default: []].formUnion(items.map(\.number))
            guard let there = confirmed[slot]?[phase], let item = items.first(where: { there.contains($0.number) })
            else { return }
            let detail = "\(phase.name) \(item.number), to \(slot.device)"
            violations.append(Violation(.messages, "CHAT-12", "what a device has confirmed is brought again", detail))
        case .effect(.complete(_, let completion)):
            guard completion.status == .ok, case .serverCommand(_, let command)? = trace.input else { return }
            switch command {
            case .populate(let user, let amounts):
                for amount in amounts {
                    let new = Amount(phase: amount.phase, count: amount.count, time: event.time)
                    self.amounts[user, default: []].append(new)
                }
            // The waiting items are deleted with the account, and so are the counts.
            case .deleteAccount(let user):
                amounts[user] = nil
                brought = brought.filter { $0.key.user != user }
                confirmed = confirmed.filter { $0.key.user != user }
                notified = notified.filter { !$0.key.hasSuffix(" " + user) }
            default: break
            }
        default: break
        }
    }

    mutating func observeClient(_ event: SessionEvent, _ trace: ClientTrace) {
        switch event.content {
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            if case .loginAck(let reply) = frame.body, reply.status == .ok { acceptedAt[event.node] = event.time }
        case .effect(.notify(.synced(let phase, let new))):
            guard let user = trace.user else { return }
            notified["\(event.node) \(user)", default: [:]][phase, default: 0] += new
        default: break
        }
    }

    /// Call it if the client is online and nothing is in flight.
    func violation(of node: String, user: String) -> Violation? {
        guard let accepted = acceptedAt[node] else { return nil }
        for phase in SyncPhase.allCases {
            let there = (amounts[user] ?? []).filter { $0.phase == phase && $0.time < accepted }.map(\.count)
            let (known, all) = (notified["\(node) \(user)"]?[phase] ?? 0, there.reduce(0, +))
            guard known < all else { continue }
            let detail = "\(known) of \(all), \(phase.name)"
            return Violation(.messages, "NIM-14", "a part of a sync was never told", detail)
        }
        return nil
    }
}

/// The end of a sync is announced after its beginning. An interrupted sync has no end, and the next one has its own
/// beginning (CHAT-12).
struct SyncAnnouncementChecker {
    private var hasStarted = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop, .effect(.closeLink): hasStarted = false
        case .input(.linkClosed), .input(.linkFailed): if !trace.isInputStale { hasStarted = false }
        case .effect(.notify(.syncStarted)):
            if hasStarted { violations.append(Violation(.messages, "CHAT-12", "a pull begins twice")) }
            hasStarted = true
        case .effect(.notify(.syncFinished)):
            if !hasStarted { violations.append(Violation(.messages, "CHAT-12", "a pull ends that never began")) }
            hasStarted = false
        default: break
        }
    }
}
