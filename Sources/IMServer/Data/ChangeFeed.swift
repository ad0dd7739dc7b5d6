import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

/// The numbered changes of a user's data (ZIM-9). A device requests the changes after the last number that it has. Only
/// the latest change of each subject is kept, so that a new device receives everything once.
struct ChangeFeed: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// In the order of their numbers.
    private(set) var changes: [ChangeRecord] = []
    private var numbering = Numbering()
    /// The data before the first change: made up, one page at a time, and numbered from 1 on.
    private(set) var population: Population?
    /// The number of the last change, even if it is no longer kept.
    private(set) var lastNumber: UInt64 = 0

    /// The changes that only one device has, by their numbers: messages to and from a login id (CHAT-7). Optional,
    /// because an older version stored none.
    private var deviceChanges: OrderedDictionary<UInt64, DeviceChange>?

    /// A change that only one device has.
    private struct DeviceChange: Hashable, Sendable, Codable {
        var device: String
        /// The number of the change before it.
        var after: UInt64
    }

    init() {}

    /// Restores the changes that a store keeps one by one.
    mutating func setChanges(_ changes: [ChangeRecord]) { self.changes = changes }

    /// True if nothing has happened yet.
    var isEmpty: Bool { changes.isEmpty && lastNumber == 0 && population == nil }

    /// Starts with made-up data.
    mutating func begin(with population: Population, owner: String) {
        self.population = population
        lastNumber = UInt64(max(0, population.count(owner: owner)))
    }

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - device: the only device that has it; nil for all devices.
    ///   - clock: the wall clock, milliseconds since 1970.
    ///   - changesMax: the maximum number of changes kept; one more drops the oldest message.
    /// - Returns: the change with its number.
    mutating func add(
        _ change: ChangeRecord, onlyFor device: String? = nil, clock: Int64, changesMax: Int
    ) -> ChangeRecord {
        removeSame(change)
        // A former member's data about the group's members may be out of date.
        if change.kind == .groupRemoved { changes.removeAll { $0.changesMembers(of: change) } }
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

    /// True if a device has the change of that number.
    func isVisible(_ number: UInt64, on device: String) -> Bool {
        deviceChanges?[number].map { $0.device == device } ?? true
    }

    /// The number of the last change that a device has.
    func lastNumber(on device: String) -> UInt64 {
        var number = lastNumber
        while let own = deviceChanges?[number], own.device != device { number = own.after }
        return number
    }

    /// Removes earlier changes of the same subject. Each message is its own subject.
    private mutating func removeSame(_ change: ChangeRecord) {
        guard change.kind != .message, let subject = change.subject else { return }
        changes.removeAll { $0.kind.isReplaced(by: change.kind) && $0.subject == subject }
    }

    /// A page of the changes after a number, starting with the made-up ones.
    ///
    /// - Parameters:
    ///   - owner: the user whose feed it is.
    ///   - device: the requesting device.
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

    /// A page of the changes after a number. A number above the last one comes from another account of this name: that
    /// device receives everything.
    private func page(after number: UInt64, device: String) -> ChangePage {
        let after = number > lastNumber ? 0 : number
        let later = changes[changes.partitioningIndex { $0.number > after }...]
        let behind = deviceChanges == nil ? later : later.filter { isVisible($0.number, on: device) }[...]
        let page = FramePages.fitting(behind)
        return ChangePage(after: number, changes: page, isLast: page.count == behind.count)
    }

    /// The last matching change; nil if there is none.
    func last(where condition: (ChangeRecord) -> Bool) -> ChangeRecord? { changes.last(where: condition) }

    /// The first matching change; nil if there is none.
    ///
    /// - Parameter device: the device that must have it; nil for any.
    func first(on device: String? = nil, where condition: (ChangeRecord) -> Bool) -> ChangeRecord? {
        changes.first { change in condition(change) && (device.map { isVisible(change.number, on: $0) } ?? true) }
    }

    /// Removes the matching changes.
    mutating func remove(where condition: (ChangeRecord) -> Bool) { changes.removeAll(where: condition) }
}

extension ChangeRecord {
    /// True if it adds a member to that group, or removes one.
    fileprivate func changesMembers(of group: ChangeRecord) -> Bool {
        guard kind == .member || kind == .memberRemoved else { return false }
        let id = group.fields.first { $0.name == "groupID" }
        return fields.contains { $0 == id }
    }
}

extension ChangeKind {
    /// True if a later change of the same subject makes this one obsolete.
    fileprivate func isReplaced(by other: ChangeKind) -> Bool {
        // A removed message stays removed, whatever its sender does with it. A group that is created again has none of
        // its former members; a device that receives only the new group could not detect that.
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
