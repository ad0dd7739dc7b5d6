/// The timers of a machine: at most one per name, in the order of their deadlines.
///
/// The methods are inlinable, because every machine reads its timers with every input and has its own type of names.
///
/// Timers with the same deadline fire in the order of their names. The order of a hash table would differ from run to
/// run. A timer is identified by its name, without a cancellation token. Setting a timer again changes its deadline.
///
/// A client has a few timers, which are stored in a sorted array: the fastest form for few elements. A server has
/// timers for ten thousand connections, which are stored in a heap: setting or cancelling one takes logarithmic time.
public struct Deadlines<Name: Hashable & Comparable & Sendable>: Sendable {
    /// One timer that is set.
    public struct Entry: Sendable {
        /// The timer's deadline.
        public let at: Instant
        /// The timer's name, unique among the set timers.
        public let name: Name
        /// The value of ``Deadlines/setter`` when the timer was set: the number of the input that set the timer. `==`
        /// ignores the setter.
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

    /// If there are more timers than this, they are stored in a heap.
    @inlinable static var sortedCountMax: Int { 64 }

    /// A sorted array if ``byName`` is nil, otherwise a heap. The heap may contain stale entries of timers that were
    /// set again or cancelled. The first entry is never stale.
    @usableFromInline var stored: [Entry] = []
    /// The timers by name; nil while ``stored`` is a sorted array.
    @usableFromInline var byName: [Name: Entry]?
    /// The host's number for the current input; 0 if the host does not count inputs. Each timer that is set stores this
    /// number, so that a debugger can show the input that set the timer. The setter is neither compared nor encoded.
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
        // `first` may be an older entry of the same timer, with another setter. `byName` has the latest entry.
        return byName?[first.name]?.setter ?? first.setter
    }

    /// Sets a timer, and replaces the timer of this name if there is one. A timer that already has this deadline keeps
    /// its setter.
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
        stored.insert(entry, at: stored.partitioningIndex { !$0.isBefore(entry) })
        indexIfMany()
    }

    /// Removes the timer of this name. Does nothing if the timer is not set.
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

    /// The deadline of the timer of this name; nil if the timer is not set.
    @inlinable
    public func instant(of name: Name) -> Instant? {
        if let byName { return byName[name]?.at }
        return stored.first { $0.name == name }?.at
    }

    /// Removes the earliest timer if it is due at `now`, and returns its name; nil if no timer is due.
    ///
    /// A timer at ``Instant/distantFuture`` is never due. The sum of an instant and an interval is at most
    /// `distantFuture`, so a timer there that sets itself again would be returned without an end.
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

    /// Switches from the sorted array to the heap if there are many timers. A sorted array is already a valid heap, so
    /// only the index by name is built.
    @inlinable
    mutating func indexIfMany() {
        guard stored.count > Self.sortedCountMax else { return }
        byName = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0) })
    }

    /// Removes stale entries until the first entry of the heap is a timer that is set. Also rebuilds the heap if it has
    /// more stale entries than timers plus ``sortedCountMax``, so that stale entries do not accumulate.
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

// Two values with the same timers are equal, also if the stale entries of their heaps differ.
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
    /// The maximum number of timers that a machine may fire in one call: the timers that are set, and 16 timers that
    /// these set for the same instant. Without a limit, a timer that sets itself for the current instant would cause an
    /// infinite loop.
    @inlinable public var firingCountMax: Int { count + 16 }

    /// Postpones all timers that are due at `now` by one nanosecond. A machine calls this after it has fired at most
    /// ``firingCountMax`` timers. The next deadline is then later than `now`, so that time advances with every policy.
    @inlinable
    public mutating func postponeDue(at now: Instant) {
        guard let first = next, first <= now else { return }
        let later = now + Interval(nanoseconds: 1)
        let due = entries.prefix { $0.at <= now }
        for entry in due where entry.at < .distantFuture { set(entry.name, at: later) }
    }
}

extension Deadlines.Entry: Codable where Name: Codable {
    // Without `setter`, which is not encoded.
    enum CodingKeys: String, CodingKey {
        case at, name
    }

    /// Decodes deadline and name; ``setter`` becomes 0.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            at: try container.decode(Instant.self, forKey: .at), name: try container.decode(Name.self, forKey: .name))
    }
}

extension Deadlines: Codable where Name: Codable {
    // Recordings contain the key `entries`.
    enum CodingKeys: String, CodingKey {
        case stored = "entries"
    }

    /// Decodes the timers. Throws a `DecodingError` if they are not sorted or two have one name: a file may contain
    /// such timers, but the methods of this type rely on the order and on unique names.
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
