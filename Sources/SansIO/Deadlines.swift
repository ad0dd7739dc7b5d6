/// The timers of a machine: at most one per name, in the order of their deadlines.
///
/// The type is inlinable, because every machine checks it with every input and has its own name type.
///
/// Timers with the same deadline fire in the order of their names, never in the order of a hash table, so that two runs
/// agree. There are no tokens for cancellation: a timer is a name, and setting it again moves it.
///
/// A client has a few timers. They are a sorted array, the fastest form for few elements. A server has timers for ten
/// thousand connections. They are a heap: setting or cancelling one takes logarithmic time.
public struct Deadlines<Name: Hashable & Comparable & Sendable>: Sendable {
    /// One timer that is set.
    public struct Entry: Sendable {
        /// The timer's deadline.
        public let at: Instant
        /// The timer's name, unique among the set timers.
        public let name: Name
        /// The value of ``Deadlines/setter`` when the timer was set. It shows what set the timer. It is not part of the
        /// timer's identity: two timers are equal whatever set them.
        public let setter: UInt64

        @inlinable
        init(at: Instant, name: Name, setter: UInt64 = 0) {
            self.at = at
            self.name = name
            self.setter = setter
        }

        @inlinable
        func isBefore(_ other: Entry) -> Bool { at < other.at || (at == other.at && name < other.name) }
    }

    /// If there are more timers than this, they are kept as a heap.
    @inlinable static var sortedCountMax: Int { 64 }

    /// Sorted if ``byName`` is nil. Otherwise a heap, which may contain timers that were moved or cancelled. Its first
    /// entry is always a valid timer.
    @usableFromInline var stored: [Entry] = []
    /// The timers by name; nil if there are few.
    @usableFromInline var byName: [Name: Entry]?
    /// The host's number for the current input. Each timer that is set keeps it. Machines never read it; it is neither
    /// compared nor encoded. 0 if the host does not count inputs.
    public var setter: UInt64 = 0

    /// No timers.
    @inlinable public init() {}

    /// All timers, the earliest first.
    @inlinable public var entries: [Entry] {
        guard let byName else { return stored }
        return byName.values.sorted { $0.isBefore($1) }
    }

    /// The number of timers.
    @inlinable public var count: Int { byName?.count ?? stored.count }

    /// The earliest deadline; nil if no timer is set.
    @inlinable public var next: Instant? { stored.first?.at }

    /// The setter of the earliest timer; 0 if it is not known or no timer is set.
    @inlinable public var nextSetter: UInt64 {
        guard let first = stored.first else { return 0 }
        // The heap may still contain an older entry of the same timer.
        return byName?[first.name]?.setter ?? first.setter
    }

    /// Sets a timer and replaces one of the same name. A timer that already has this deadline keeps its setter.
    @inlinable
    public mutating func set(_ name: Name, at instant: Instant) {
        let entry = Entry(at: instant, name: name, setter: setter)
        if byName != nil {
            guard byName?[name]?.at != instant else { return }
            byName?[name] = entry
            push(entry)
            return dropStale()
        }
        if let index = stored.firstIndex(where: { $0.name == name }) {
            guard stored[index].at != instant else { return }
            stored.remove(at: index)
        }
        var low = 0
        var high = stored.count
        while low < high {
            let middle = (low + high) / 2
            if stored[middle].isBefore(entry) { low = middle + 1 } else { high = middle }
        }
        stored.insert(entry, at: low)
        indexIfMany()
    }

    /// Removes a timer. Does nothing if it is not set.
    @inlinable
    public mutating func cancel(_ name: Name) {
        if byName != nil {
            if byName?.removeValue(forKey: name) != nil { dropStale() }
        } else if let index = stored.firstIndex(where: { $0.name == name }) {
            stored.remove(at: index)
        }
    }

    /// Removes every timer whose name satisfies the condition.
    @inlinable
    public mutating func cancel(where condition: (Name) -> Bool) {
        stored = entries.filter { !condition($0.name) }
        byName = nil
        indexIfMany()
    }

    /// Removes every timer.
    @inlinable
    public mutating func cancelAll() {
        stored.removeAll(keepingCapacity: true)
        byName = nil
    }

    /// The deadline of a timer; nil if it is not set.
    @inlinable
    public func instant(of name: Name) -> Instant? {
        if let byName { return byName[name]?.at }
        return stored.first { $0.name == name }?.at
    }

    /// Removes and returns the next timer that is due at `now`.
    ///
    /// A timer at ``Instant/distantFuture`` is never due. Sums of instants saturate there, so a timer that renews
    /// itself would otherwise be due again and again in a single call.
    @inlinable
    public mutating func popDue(at now: Instant) -> Name? {
        guard let first = stored.first, first.at <= now, first.at < .distantFuture else { return nil }
        if byName == nil {
            stored.remove(at: 0)
        } else {
            byName?.removeValue(forKey: first.name)
            dropStale()
        }
        return first.name
    }

    // MARK: The heap

    /// Switches to the heap if the sorted array is long. A sorted array is already a heap.
    @inlinable
    mutating func indexIfMany() {
        guard stored.count > Self.sortedCountMax else { return }
        byName = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0) })
    }

    /// Ensures that the first entry is a valid timer, and that stale entries are at most as many as valid ones plus
    /// ``sortedCountMax``.
    @inlinable
    mutating func dropStale() {
        guard let byName else { return }
        guard !byName.isEmpty else { return cancelAll() }
        if stored.count > 2 * byName.count + Self.sortedCountMax {
            stored = entries
            return
        }
        while let first = stored.first, byName[first.name]?.at != first.at { popFirst() }
    }

    @inlinable
    mutating func push(_ entry: Entry) {
        stored.append(entry)
        var index = stored.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.isBefore(stored[parent]) else { break }
            stored.swapAt(index, parent)
            index = parent
        }
    }

    @inlinable
    mutating func popFirst() {
        stored.swapAt(0, stored.count - 1)
        stored.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < stored.count {
                if stored[child].isBefore(stored[least]) { least = child }
            }
            guard least != index else { return }
            stored.swapAt(index, least)
            index = least
        }
    }
}

extension Deadlines.Entry: Hashable {
    /// Compares deadline and name, not ``setter``.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.at == right.at && left.name == right.name }

    /// Hashes deadline and name, as `==` compares them.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(at)
        hasher.combine(name)
    }
}

// Two values with the same timers are equal, whatever their history.
extension Deadlines: Hashable {
    /// Compares the timers in their order, regardless of storage and setters.
    @inlinable
    public static func == (left: Deadlines, right: Deadlines) -> Bool { left.entries == right.entries }

    /// Hashes the timers in their order.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

// MARK: Progress

extension Deadlines {
    /// The maximum number of timers that a machine may fire in one call: the set ones, and a few that these set for the
    /// same instant. Without the limit, a timer that sets itself for the present would keep the machine in a loop
    /// forever.
    @inlinable public var firingCountMax: Int { count + 16 }

    /// Postpones all timers due at `now` to the next nanosecond. A machine calls it after ``firingCountMax`` timers, so
    /// that each deadline is followed by a later one, whatever the policy.
    @inlinable
    public mutating func postponeDue(at now: Instant) {
        guard let first = next, first <= now else { return }
        let later = now + Interval(nanoseconds: 1)
        let due = entries.prefix { $0.at <= now }
        for entry in due where entry.at < .distantFuture { set(entry.name, at: later) }
    }
}

extension Deadlines.Entry: Codable where Name: Codable {
    enum CodingKeys: String, CodingKey {
        case at, name
    }

    /// Decodes deadline and name; ``setter`` becomes 0.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            at: try container.decode(Instant.self, forKey: .at), name: try container.decode(Name.self, forKey: .name))
    }

    /// Encodes deadline and name, not ``setter``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(at, forKey: .at)
        try container.encode(name, forKey: .name)
    }
}
extension Deadlines: Codable where Name: Codable {
    // The key in the keyframes of sessions.
    enum CodingKeys: String, CodingKey {
        case stored = "entries"
    }

    /// Decodes timers and checks them. They come from files, and the other code relies on the order and on unique
    /// names.
    public init(from decoder: any Decoder) throws {
        stored = try decoder.container(keyedBy: CodingKeys.self).decode([Entry].self, forKey: .stored)
        let names = stored.map(\.name).sorted()
        let isInOrder = zip(stored, stored.dropFirst()).allSatisfy { $0.isBefore($1) }
        guard isInOrder, zip(names, names.dropFirst()).allSatisfy(<) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "timers out of order"))
        }
        indexIfMany()
    }

    /// Encodes the timers, the earliest first.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .stored)
    }
}
