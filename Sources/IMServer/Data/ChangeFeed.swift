import IMData
import IMProtocol
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

    init() {}

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
    ///   - clock: the wall clock, milliseconds since 1970.
    ///   - changesMax: so many are kept; of more the oldest message goes.
    /// - Returns: the change with its number, as an event.
    mutating func add(_ change: ChangeRecord, clock: Int64, changesMax: Int) -> ChangePage {
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
        return ChangePage(after: after, changes: [change], isLast: true)
    }

    /// Removes the changes of the same thing. Each message is another thing.
    private mutating func removeSame(_ change: ChangeRecord) {
        guard change.kind != .message, let subject = change.subject else { return }
        changes.removeAll { $0.kind.isReplaced(by: change.kind) && $0.subject == subject }
    }

    /// A page of what is behind a number, of what was made up first.
    ///
    /// - Parameter owner: whose feed it is.
    func page(after number: UInt64, owner: String) -> ChangePage {
        let count = population?.count(owner: owner) ?? 0
        let after = number > lastNumber ? 0 : number
        guard let population, after < UInt64(count) else { return page(after: number) }
        let first = Int(after)
        let made = population.changes(in: first..<min(first + FramePages.changesMax, count), owner: owner)
        let records = made.enumerated().map { $1.record(number: UInt64(first + $0) + 1) }
        let page = FramePages.fitting(records)
        return ChangePage(
            after: number, changes: page, isLast: first + page.count == count && changes.isEmpty)
    }

    /// A page of what is behind a number. A device that has more than there is has what another account of the name had:
    /// it is told everything.
    private func page(after number: UInt64) -> ChangePage {
        let after = number > lastNumber ? 0 : number
        let behind = changes[changes.partitioningIndex { $0.number > after }...]
        let page = FramePages.fitting(behind)
        return ChangePage(after: number, changes: page, isLast: page.count == behind.count)
    }

    /// The last change of that thing; nil where there is none.
    func last(where condition: (ChangeRecord) -> Bool) -> ChangeRecord? { changes.last(where: condition) }

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
