/// The timers of a machine: at most one per name, kept in the order in which they fall due.
///
/// It is inlinable, because every machine asks it with every input and has a name type of its own.
///
/// Timers that fall due together fire in the order of their names, never in the order of a hash table, so that two
/// runs agree. There are no tokens to cancel: a timer is a name, and setting it again moves it.
public struct Deadlines<Name: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// One timer that has been set.
    public struct Entry: Hashable, Sendable {
        public let at: Instant
        public let name: Name

        @inlinable
        init(at: Instant, name: Name) {
            self.at = at
            self.name = name
        }
    }

    /// All timers, next one first.
    @inlinable public var entries: [Entry] { stored }
    @usableFromInline var stored: [Entry] = []

    @inlinable public init() {}

    /// The moment of the next timer.
    @inlinable public var next: Instant? { entries.first?.at }

    /// Sets a timer, replacing the one of the same name.
    @inlinable
    public mutating func set(_ name: Name, at instant: Instant) {
        cancel(name)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            if entry.at < instant || (entry.at == instant && entry.name < name) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        stored.insert(Entry(at: instant, name: name), at: low)
    }

    /// Removes a timer; nothing happens when it is not set.
    @inlinable
    public mutating func cancel(_ name: Name) {
        if let index = entries.firstIndex(where: { $0.name == name }) {
            stored.remove(at: index)
        }
    }

    /// Removes every timer whose name satisfies the condition.
    @inlinable
    public mutating func cancel(where condition: (Name) -> Bool) {
        stored.removeAll { condition($0.name) }
    }

    /// Removes every timer.
    @inlinable
    public mutating func cancelAll() {
        stored.removeAll(keepingCapacity: true)
    }

    /// When a timer falls due, or nil when it is not set.
    @inlinable
    public func instant(of name: Name) -> Instant? {
        entries.first { $0.name == name }?.at
    }

    /// Removes and returns the next timer that is due at `now`.
    ///
    /// A timer at the end of time never is: sums of instants stop there, so that a timer which renews itself would be
    /// due again and again in a single call.
    @inlinable
    public mutating func popDue(at now: Instant) -> Name? {
        guard let first = entries.first, first.at <= now, first.at < .distantFuture else { return nil }
        stored.remove(at: 0)
        return first.name
    }
}

// MARK: Progress

extension Deadlines {
    /// So many timers a machine may fire in one call: those that are set, and a few that these set for the same moment.
    /// A timer that sets itself for a moment that has come would otherwise hold the machine for ever.
    @inlinable public var firingCountMax: Int { entries.count + 16 }

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

extension Deadlines.Entry: Codable where Name: Codable {}
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
        let isInOrder = zip(stored, stored.dropFirst()).allSatisfy { ($0.at, $0.name) < ($1.at, $1.name) }
        guard isInOrder, zip(names, names.dropFirst()).allSatisfy(<) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "timers out of order"))
        }
    }
}
