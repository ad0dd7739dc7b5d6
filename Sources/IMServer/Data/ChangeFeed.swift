import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

/// What a user's devices are to know, as the changes that led there, each with a number (ZIM-9). A device asks for what
/// is behind the last number that it has; of one thing only the latest change is kept, so that a new device is told
/// everything once.
struct ChangeFeed: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// In the order of their numbers.
    private(set) var changes: [ChangeRecord] = []
    private var numbering = Numbering()
    /// What was there before the first change: made up, a page at a time, and numbered from 1 on.
    private(set) var population: Population?
    /// The number of the last change, also of one that is kept no more.
    private(set) var lastNumber: UInt64 = 0

    /// The changes that only one device has, by their numbers: messages to and from a login id (CHAT-7). Optional, because an
    /// older version kept none.
    private var deviceChanges: OrderedDictionary<UInt64, DeviceChange>?

    /// A change that only one device has.
    private struct DeviceChange: Hashable, Sendable, Codable {
        var device: String
        /// The number of the change before it.
        var after: UInt64
    }

    init() {}

    /// Puts back the changes that a store keeps one by one.
    mutating func setChanges(_ changes: [ChangeRecord]) { self.changes = changes }

    /// Whether nothing has happened yet.
    var isEmpty: Bool { changes.isEmpty && lastNumber == 0 && population == nil }

    /// Begins with made-up data.
    mutating func begin(with population: Population, owner: String) {
        self.population = population
        lastNumber = UInt64(max(0, population.count(owner: owner)))
    }

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - device: the one device that has it; nil for all devices.
    ///   - clock: the wall clock, milliseconds since 1970.
    ///   - changesMax: so many are kept; of more the oldest message goes.
    /// - Returns: the change with its number.
    mutating func add(
        _ change: ChangeRecord, onlyFor device: String? = nil, clock: Int64, changesMax: Int
    ) -> ChangeRecord {
        removeSame(change)
        // What somebody who is no longer in a group knew of its members may be so no more.
        if change.kind == .groupRemoved { changes.removeAll { $0.isMember(of: change) } }
        if changes.count >= changesMax {
            changes.remove(at: changes.firstIndex { $0.kind == .message } ?? 0)
        }
        let after = lastNumber
        lastNumber = numbering.next(clock: clock)
        var change = change
        change.number = lastNumber
        changes.append(change)
        if let device { note(DeviceChange(device: device, after: after), of: lastNumber, changesMax: changesMax) }
        return change
    }

    private mutating func note(_ own: DeviceChange, of number: UInt64, changesMax: Int) {
        var all = deviceChanges ?? [:]
        all[number] = own
        if all.count > 2 * changesMax {
            let numbers = Set(changes.map(\.number))
            all.removeAll { !numbers.contains($0.key) }
        }
        deviceChanges = all
    }

    /// Whether a device has the change of that number.
    func isVisible(_ number: UInt64, on device: String) -> Bool {
        deviceChanges?[number].map { $0.device == device } ?? true
    }

    /// The number of the last change that a device has.
    func lastNumber(on device: String) -> UInt64 {
        var number = lastNumber
        while let own = deviceChanges?[number], own.device != device { number = own.after }
        return number
    }

    /// Removes the changes of the same thing. Each message is another thing.
    private mutating func removeSame(_ change: ChangeRecord) {
        guard change.kind != .message, let subject = change.subject else { return }
        changes.removeAll { $0.kind.isReplaced(by: change.kind) && $0.subject == subject }
    }

    /// A page of what is behind a number, of what was made up first.
    ///
    /// - Parameters:
    ///   - owner: whose feed it is.
    ///   - device: the device that asks.
    func page(after number: UInt64, owner: String, device: String) -> ChangePage {
        let count = population?.count(owner: owner) ?? 0
        let after = number > lastNumber ? 0 : number
        guard let population, after < UInt64(count) else { return page(after: number, device: device) }
        let first = Int(after)
        let made = population.changes(in: first..<min(first + FramePages.changesMax, count), owner: owner)
        let records = made.enumerated().map { $1.record(number: UInt64(first + $0) + 1) }
        let page = FramePages.fitting(records)
        return ChangePage(
            after: number, changes: page, isLast: first + page.count == count && changes.isEmpty)
    }

    /// A page of what is behind a number. A device that has more than there is has what another account of the name had:
    /// it is told everything.
    private func page(after number: UInt64, device: String) -> ChangePage {
        let after = number > lastNumber ? 0 : number
        let later = changes[changes.partitioningIndex { $0.number > after }...]
        let behind = deviceChanges == nil ? later : later.filter { isVisible($0.number, on: device) }[...]
        let page = FramePages.fitting(behind)
        return ChangePage(after: number, changes: page, isLast: page.count == behind.count)
    }

    /// The last change of that thing; nil where there is none.
    func last(where condition: (ChangeRecord) -> Bool) -> ChangeRecord? { changes.last(where: condition) }

    /// The first one; nil where there is none.
    ///
    /// - Parameter device: the device that must have it; nil for any.
    func first(on device: String? = nil, where condition: (ChangeRecord) -> Bool) -> ChangeRecord? {
        changes.first { change in condition(change) && (device.map { isVisible(change.number, on: $0) } ?? true) }
    }

    /// Takes messages away that are nobody's any more.
    mutating func remove(where condition: (ChangeRecord) -> Bool) { changes.removeAll(where: condition) }
}

extension ChangeRecord {
    /// Whether it says who is in that group, or no more.
    fileprivate func isMember(of group: ChangeRecord) -> Bool {
        guard kind == .member || kind == .memberRemoved else { return false }
        let id = group.fields.first { $0.name == "groupID" }
        return fields.contains { $0 == id }
    }
}

extension ChangeKind {
    /// Whether a later change of the same thing leaves nothing to tell of this one.
    fileprivate func isReplaced(by other: ChangeKind) -> Bool {
        // What was taken away stays so, whatever its sender makes of it. A group that is made anew has none of the members
        // that the one before had, which a device that is told of the new one alone would not know.
        if self == .messageRemoved || self == .groupRemoved { return other == self }
        func family(_ kind: ChangeKind) -> ChangeKind {
            switch kind {
            case .friendRemoved: .friend
            case .groupRemoved: .group
            case .memberRemoved: .member
            case .messageRemoved: .messageRevoked
            default: kind
            }
        }
        return family(self) == family(other)
    }
}
