import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

/// The numbered changes of a user's data (ZIM-9). A device requests the changes after the last number that it has. Of
/// several changes of one subject, such as one friend or one group, only the latest is stored, so that a new device
/// receives each subject once.
struct ChangeFeed: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The stored changes, in the order of their numbers.
    private(set) var changes: [ChangeRecord] = []
    private var numbering = Numbering()
    /// The generated data of the user, which precedes all changes: generated one page at a time, numbered from 1.
    private(set) var population: Population?
    /// The number of the latest change, even if that change is no longer stored.
    private(set) var lastNumber: UInt64 = 0

    /// The changes that only one device has, by their numbers: the messages to and from a login id (CHAT-7). Optional,
    /// because older versions did not store this table.
    private var deviceChanges: OrderedDictionary<UInt64, DeviceChange>?

    /// The device of a change that only one device has.
    private struct DeviceChange: Hashable, Sendable, Codable {
        var device: String
        /// The number of the change that precedes this one in the feed.
        var after: UInt64
    }

    init() {}

    /// Restores the changes, which a store keeps in one row each.
    mutating func setChanges(_ changes: [ChangeRecord]) { self.changes = changes }

    /// True if the user has no data: no change was ever added, and no data was generated.
    var isEmpty: Bool { changes.isEmpty && lastNumber == 0 && population == nil }

    /// Starts the feed with generated data. The feed must be empty.
    mutating func begin(with population: Population, owner: String) {
        self.population = population
        lastNumber = UInt64(max(0, population.count(owner: owner)))
    }

    /// Adds a change with the next number, and removes the changes that it makes obsolete.
    ///
    /// - Parameters:
    ///   - device: the only device that has the change; nil for all devices.
    ///   - clock: the wall clock, milliseconds since 1970.
    ///   - changesMax: the maximum number of stored changes. At this number, the oldest message is dropped.
    /// - Returns: the change with its number.
    mutating func add(
        _ change: ChangeRecord, onlyFor device: String? = nil, clock: Int64, changesMax: Int
    ) -> ChangeRecord {
        removeReplaced(change)
        // A user who left the group is not notified of its later member changes, so the stored ones may be out of date.
        if change.kind == .groupRemoved { changes.removeAll { $0.changesMembers(of: change) } }
        if changes.count >= changesMax {
            changes.remove(at: changes.firstIndex { $0.kind == .message } ?? 0)
        }
        let after = lastNumber
        lastNumber = numbering.next(clock: clock)
        var change = change
        change.number = lastNumber
        changes.append(change)
        if let device { record(DeviceChange(device: device, after: after), of: lastNumber, changesMax: changesMax) }
        return change
    }

    private mutating func record(_ deviceChange: DeviceChange, of number: UInt64, changesMax: Int) {
        var all = deviceChanges ?? [:]
        all[number] = deviceChange
        if all.count > 2 * changesMax {
            let numbers = Set(changes.map(\.number))
            all.removeAll { !numbers.contains($0.key) }
        }
        deviceChanges = all
    }

    /// True if a device has the change with this number: a change for one device exists only on that device.
    func isVisible(_ number: UInt64, on device: String) -> Bool {
        deviceChanges?[number].map { $0.device == device } ?? true
    }

    /// The number of the last change that a device has.
    func lastNumber(on device: String) -> UInt64 {
        var number = lastNumber
        while let change = deviceChanges?[number], change.device != device { number = change.after }
        return number
    }

    /// Removes the stored changes of the same subject that a new change makes obsolete. Messages are never removed
    /// here, because each message is its own subject.
    private mutating func removeReplaced(_ change: ChangeRecord) {
        guard change.kind != .message, let subject = change.subject else { return }
        changes.removeAll { $0.kind.isReplaced(by: change.kind) && $0.subject == subject }
    }

    /// A page of the changes after a number. The generated data comes before the other changes.
    ///
    /// - Parameters:
    ///   - owner: the user to whom the feed belongs.
    ///   - device: the requesting device.
    func page(after number: UInt64, owner: String, device: String) -> ChangePage {
        let count = population?.count(owner: owner) ?? 0
        let after = number > lastNumber ? 0 : number
        guard let population, after < UInt64(count) else { return page(after: number, device: device) }
        let first = Int(after)
        let generated = population.changes(in: first..<min(first + FramePages.changesMax, count), owner: owner)
        let records = generated.enumerated().map { $1.record(number: UInt64(first + $0) + 1) }
        let page = FramePages.fitting(records)
        return ChangePage(
            after: number, changes: page, isLast: first + page.count == count && changes.isEmpty)
    }

    /// A page of the stored changes after a number. The changes of generated data are not stored. A number above the last one comes from an
    /// earlier account with the same name, so the device receives all changes.
    private func page(after number: UInt64, device: String) -> ChangePage {
        let after = number > lastNumber ? 0 : number
        let later = changes[changes.partitioningIndex { $0.number > after }...]
        let missing = deviceChanges == nil ? later : later.filter { isVisible($0.number, on: device) }[...]
        let page = FramePages.fitting(missing)
        return ChangePage(after: number, changes: page, isLast: page.count == missing.count)
    }

    func last(where condition: (ChangeRecord) -> Bool) -> ChangeRecord? { changes.last(where: condition) }

    /// The last change of the same kind and subject as a change; nil if there is none.
    func last(like change: ChangeRecord) -> ChangeRecord? {
        let (kind, subject) = (change.kind, change.subject)
        return changes.last { $0.kind == kind && $0.subject == subject }
    }

    /// The last change of a kind in which a field has a value; nil if there is none.
    func last(_ kind: ChangeKind, with field: String, _ value: String) -> ChangeRecord? {
        changes.last { $0.kind == kind && $0.has(field, value) }
    }

    /// The first matching change; nil if there is none.
    ///
    /// - device: the device that must have the change; nil for any device.
    func first(on device: String? = nil, where condition: (ChangeRecord) -> Bool) -> ChangeRecord? {
        changes.first { change in condition(change) && (device.map { isVisible(change.number, on: $0) } ?? true) }
    }

    mutating func remove(where condition: (ChangeRecord) -> Bool) { changes.removeAll(where: condition) }
}

extension ChangeRecord {
    /// True if the field exists and has this value.
    func has(_ field: String, _ value: String) -> Bool { fields.contains { $0.name == field && $0.value == value } }

    /// The message that the change adds; nil for another kind of change.
    var message: LocalMessage? {
        guard kind == .message, case .message(let message)? = LocalChange(self) else { return nil }
        return message
    }

    /// True if the change adds a member to this group, or removes one from it.
    fileprivate func changesMembers(of group: ChangeRecord) -> Bool {
        guard kind == .member || kind == .memberRemoved else { return false }
        let id = group.fields.first { $0.name == "groupID" }
        return fields.contains { $0 == id }
    }
}

extension ChangeKind {
    /// True if a later change of the same subject and of kind `other` makes a change of this kind obsolete.
    fileprivate func isReplaced(by other: ChangeKind) -> Bool {
        // A removed message remains removed, even if its sender revokes it later. A removed group that is created again
        // has none of its former members: a device that received only the new group would keep them.
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
