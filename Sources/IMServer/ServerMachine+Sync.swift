import IMProtocol
import OrderedCollections
import SansIO

// The sync after a login (NIM-14, CHAT-12).

extension ServerMachine {
    /// Items in one frame. More items go out in several frames, none of which is larger than a frame may be.
    static let syncItemsPerFrame = 100

    /// Creates items for the account's next sync. Their ids continue after the existing ones.
    mutating func populate(_ user: String, _ amounts: [SyncAmount], at now: Instant) -> Status {
        let clock = wallClock(at: now)
        guard accounts[user] != nil else { return .notFound }
        for amount in amounts {
            let present = accounts[user]?.syncItems[amount.phase]?.count ?? 0
            guard amount.count >= 0, amount.count <= policy.syncItemCountMax - present else {
                return .limitExceeded
            }
        }
        for amount in amounts {
            let present = accounts[user]?.syncItems[amount.phase]?.count ?? 0
            let first = accounts[user]?.syncNumbers(of: amount.phase, clock: clock) ?? 0
            let new = (0..<amount.count).map { index in
                let number = present + index + 1
                return SyncItem(
                    id: "\(amount.phase.name)-\(number)", text: "\(amount.phase.name) \(number) of \(user)",
                    number: first &+ UInt64(number))
            }
            accounts[user]?.syncItems[amount.phase, default: []] += new
        }
        return .ok
    }

    mutating func sync(
        user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        connections[id]?.hasSynced = true
        for phase in SyncPhase.allCases {
            // Messages that waited for the device come in their phase, each in its own frame.
            let waiting = phase == .offlineMessages ? waitingMessages(of: user, device: device) : 0
            sendItems(
                of: phase, waiting: waiting, isAnnounced: true, to: user, device: device, request: request, on: id,
                at: now, into: &effects)
            if phase == .offlineMessages { deliverStored(to: user, device: device, on: id, at: now, into: &effects) }
        }
        effects.append(.send(id, Frame(request: request, .syncDone)))
    }

    /// Sends the items of a phase that the device has not confirmed.
    ///
    /// - Parameter isAnnounced: true if a phase without items is sent too.
    mutating func sendItems(
        of phase: SyncPhase, waiting: Int, isAnnounced: Bool, to user: String, device: String, request: UInt32,
        on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let clock = wallClock(at: now)
        _ = accounts[user]?.syncNumbers(of: phase, clock: clock)
        let pulled = accounts[user]?.devices[device]?.pulled[phase] ?? NumberRanges()
        let items = availableItems(of: phase, of: user).filter { pulled.finding($0.number) == .new }
        let count = UInt32(clamping: items.count + waiting)
        // Items from the user's data and items made for the sync are confirmed separately: changes made before the
        // confirmation get numbers between the two.
        let made = accounts[user]?.syncItems[phase]?.first?.number ?? .max
        var parts = [items.prefix { $0.number < made }, items.drop { $0.number < made }].flatMap { items in
            stride(from: items.startIndex, to: items.endIndex, by: ServerMachine.syncItemsPerFrame).map { start in
                Array(items[start..<min(start + ServerMachine.syncItemsPerFrame, items.endIndex)])
            }
        }
        if parts.isEmpty, isAnnounced { parts.append([]) }
        for part in parts {
            effects.append(.send(id, Frame(request: request, .syncPhase(phase, count: count, items: part))))
        }
    }

    /// Confirms a part of a sync.
    mutating func confirmSync(
        _ phase: SyncPhase, first: UInt64, last: UInt64, of user: String, device: String
    ) {
        // Only existing items, whatever range the client sends.
        let items = availableItems(of: phase, of: user)
        for item in items where item.number >= first && item.number <= last {
            accounts[user]?.devices[device]?.pulled.take(item.number, of: phase, most: items.count)
        }
    }
}

/// The items of a sync that a device has.
struct PulledItems: Hashable, Sendable, Codable, EmptyWhenAbsent {
    private var phases: OrderedDictionary<SyncPhase, NumberRanges> = [:]

    init() {}

    subscript(phase: SyncPhase) -> NumberRanges { phases[phase] ?? NumberRanges() }

    /// - Parameter most: the number of items. A device confirms existing items only, so there cannot be more gaps.
    mutating func take(_ number: UInt64, of phase: SyncPhase, most: Int) {
        phases[phase, default: NumberRanges()].take(number, rangesMax: most)
    }
}

extension Account {
    /// The number before that of the first item of a phase. Items stored by an older version get theirs now.
    fileprivate mutating func syncNumbers(of phase: SyncPhase, clock: Int64) -> UInt64 {
        if let first = syncItems[phase]?.first, first.number != 0 { return first.number - 1 }
        // Above all numbers that the user's data ever gets, so that both share one order.
        let before = UInt64(clamping: clock) &* 1000 &+ (1 << 52)
        for index in syncItems[phase]?.indices ?? 0..<0 {
            syncItems[phase]?[index].number = before &+ UInt64(index) &+ 1
        }
        return before
    }
}
