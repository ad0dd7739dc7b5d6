import IMProtocol
import OrderedCollections
import SansIO

// The sync after a login (NIM-14, CHAT-12).

extension ServerMachine {
    /// The maximum number of items in one frame. It keeps each frame below the size limit of the protocol.
    static let syncItemsPerFrame = 100

    /// Creates items for the account's next sync. The numbers in their ids continue those of the existing items.
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
            // Waiting messages are part of the phase `offlineMessages`, but each is sent in a frame of its own.
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
    /// - Parameter isAnnounced: true if a frame is sent even for a phase without items.
    mutating func sendItems(
        of phase: SyncPhase, waiting: Int, isAnnounced: Bool, to user: String, device: String, request: UInt32,
        on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let clock = wallClock(at: now)
        _ = accounts[user]?.syncNumbers(of: phase, clock: clock)
        let pulled = accounts[user]?.devices[device]?.pulled[phase] ?? NumberRanges()
        let items = availableItems(of: phase, of: user).filter { pulled.finding($0.number) == .new }
        let count = UInt32(clamping: items.count + waiting)
        // A device confirms a range of numbers. Items from the user's data and items of an operator are sent in
        // separate frames, so that a range contains only one of these kinds. Otherwise it would also contain changes
        // that are made before the confirmation, because their numbers are between the two kinds.
        let created = accounts[user]?.syncItems[phase]?.first?.number ?? .max
        var parts = [items.prefix { $0.number < created }, items.drop { $0.number < created }].flatMap { items in
            stride(from: items.startIndex, to: items.endIndex, by: ServerMachine.syncItemsPerFrame).map { start in
                Array(items[start..<min(start + ServerMachine.syncItemsPerFrame, items.endIndex)])
            }
        }
        if parts.isEmpty, isAnnounced { parts.append([]) }
        for part in parts {
            effects.append(.send(id, Frame(request: request, .syncPhase(phase, count: count, items: part))))
        }
    }

    /// Records that a device has the items of a phase with the numbers from `first` to `last`.
    mutating func confirmSync(
        _ phase: SyncPhase, first: UInt64, last: UInt64, of user: String, device: String
    ) {
        // Only the numbers of existing items are stored, so that a client cannot make the server store any range.
        let items = availableItems(of: phase, of: user)
        for item in items where item.number >= first && item.number <= last {
            accounts[user]?.devices[device]?.pulled.take(item.number, of: phase, rangesMax: items.count)
        }
    }
}

/// The numbers of the sync items that a device has, by phase.
struct PulledItems: Hashable, Sendable, Codable, EmptyWhenAbsent {
    private var phases: OrderedDictionary<SyncPhase, NumberRanges> = [:]

    init() {}

    subscript(phase: SyncPhase) -> NumberRanges { phases[phase] ?? NumberRanges() }

    /// - Parameter rangesMax: the number of existing items. A device confirms only existing items, so there are never
    ///   more ranges.
    mutating func take(_ number: UInt64, of phase: SyncPhase, rangesMax: Int) {
        phases[phase, default: NumberRanges()].take(number, rangesMax: rangesMax)
    }
}

extension Account {
    /// The number before the number of the first item of a phase. Items of older versions get their numbers here.
    fileprivate mutating func syncNumbers(of phase: SyncPhase, clock: Int64) -> UInt64 {
        if let first = syncItems[phase]?.first, first.number != 0 { return first.number - 1 }
        // Items that an operator creates get higher numbers than all changes in the user's data, so that the items come
        // after the changes.
        let before = UInt64(clamping: clock) &* 1000 &+ (1 << 52)
        for index in syncItems[phase]?.indices ?? 0..<0 {
            syncItems[phase]?[index].number = before &+ UInt64(index) &+ 1
        }
        return before
    }
}
