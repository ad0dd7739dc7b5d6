/// The timers of a machine: at most one per name, kept in the order in which they fall due.
///
/// It is inlinable, because every machine asks it with every input and has a name type of its own.
///
/// Timers that fall due together fire in the order of their names, never in the order of a hash table, so that two
/// runs agree. There are no tokens to cancel: a timer is a name, and setting it again moves it.
///
/// A few timers, as a client has them, are a sorted array, which nothing beats. Many, as a server has them for ten
/// thousand connections, are a heap: setting and cancelling one costs its logarithm, however many there are.
public struct Deadlines<Name: Hashable & Comparable & Sendable>: Sendable {
    /// One timer that has been set.
    public struct Entry: Sendable {
        /// When it falls due.
        public let at: Instant
        /// Which timer it is; no other one that is set has the same name.
        public let name: Name
        /// What set it: the value that ``Deadlines/setter`` had then. It says where the timer comes from and is no part of
        /// what it is: two timers are the same whoever set them.
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

    /// More timers than this are kept as a heap.
    @inlinable static var sortedCountMax: Int { 64 }

    /// Sorted while ``byName`` is nil. Else a heap, in which timers that were moved or cancelled may still stand; the
    /// first one never is such.
    @usableFromInline var stored: [Entry] = []
    /// The timers by name, while there are many.
    @usableFromInline var byName: [Name: Entry]?
    /// The number by which the host knows what it hands the machine now; each timer that is set keeps it. A machine never
    /// reads it, and it is neither compared nor encoded. 0 where a host counts nothing.
    public var setter: UInt64 = 0

    /// No timers.
    @inlinable public init() {}

    /// All timers, next one first.
    @inlinable public var entries: [Entry] {
        guard let byName else { return stored }
        return byName.values.sorted { $0.isBefore($1) }
    }

    /// How many there are.
    @inlinable public var count: Int { byName?.count ?? stored.count }

    /// The moment of the next timer.
    @inlinable public var next: Instant? { stored.first?.at }

    /// What set the next timer; 0 where that is not known, or there is none.
    @inlinable public var nextSetter: UInt64 {
        guard let first = stored.first else { return 0 }
        // A heap may still hold the same timer as it was set before.
        return byName?[first.name]?.setter ?? first.setter
    }

    /// Sets a timer, replacing the one of the same name. One that is set for that moment already stays as it is.
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

    /// Removes a timer; nothing happens when it is not set.
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

    /// When a timer falls due, or nil when it is not set.
    @inlinable
    public func instant(of name: Name) -> Instant? {
        if let byName { return byName[name]?.at }
        return stored.first { $0.name == name }?.at
    }

    /// Removes and returns the next timer that is due at `now`.
    ///
    /// A timer at the end of time never is: sums of instants stop there, so that a timer which renews itself would be
    /// due again and again in a single call.
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

    /// Goes over to the heap where the sorted array has become long; sorted, it is one already.
    @inlinable
    mutating func indexIfMany() {
        guard stored.count > Self.sortedCountMax else { return }
        byName = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0) })
    }

    /// Sees to it that the first entry is a timer that is set, and that what is not is at most as much as what is.
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
    /// Compares moment and name; ``setter`` does not count.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.at == right.at && left.name == right.name }

    /// Feeds moment and name, which are what `==` compares.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(at)
        hasher.combine(name)
    }
}

// Two that hold the same timers are equal, however they came to them.
extension Deadlines: Hashable {
    /// Compares the timers in their order; how they are stored and who set them does not count.
    @inlinable
    public static func == (left: Deadlines, right: Deadlines) -> Bool { left.entries == right.entries }

    /// Feeds the timers in their order.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

// MARK: Progress

extension Deadlines {
    /// So many timers a machine may fire in one call: those that are set, and a few that these set for the same moment.
    /// A timer that sets itself for a moment that has come would otherwise hold the machine for ever.
    @inlinable public var firingCountMax: Int { count + 16 }

    /// Puts off what is due at `now` to the next nanosecond. A machine calls it when it has fired what it may, so that
    /// each deadline is followed by a later one, whatever a policy says.
    @inlinable
    public mutating func putOffDue(at now: Instant) {
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

    /// Reads moment and name; ``setter`` is 0 then.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            at: try container.decode(Instant.self, forKey: .at), name: try container.decode(Name.self, forKey: .name))
    }

    /// Writes moment and name; ``setter`` is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(at, forKey: .at)
        try container.encode(name, forKey: .name)
    }
}
extension Deadlines: Codable where Name: Codable {
    // The name that stands in the keyframes of sessions.
    enum CodingKeys: String, CodingKey {
        case stored = "entries"
    }

    /// Reads timers. They come from files: what no machine has written is refused, because all else relies on the order
    /// and on the names being different.
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

    /// Writes the timers, next one first.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .stored)
    }
}
