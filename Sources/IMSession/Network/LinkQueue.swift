import SansIO

/// The items in flight in one direction of one connection, in order of arrival.
///
/// An item never arrives before an item that was sent earlier, even if its random delay is shorter. The live world sets
/// a timer for ``nextArrival``, and the simulated world adds an entry to its agenda. The methods are inlinable, because
/// the item type belongs to another module.
public struct LinkQueue<Item> {
    /// The maximum number of held items. Further items are lost.
    @inlinable public static var heldCountMax: Int { 10_000 }

    /// An item in flight.
    public struct Entry {
        /// The time at which the item arrives.
        public let at: Instant
        /// The item that was sent.
        public let item: Item

        @inlinable
        init(at: Instant, item: Item) {
            self.at = at
            self.item = item
        }
    }

    /// The items in flight. The first one arrives next.
    @inlinable public var entries: [Entry] { onTheWay }
    @usableFromInline var onTheWay: [Entry] = []
    /// The held items, in the order in which they were sent.
    @inlinable public var held: [Item] { waiting }
    @usableFromInline var waiting: [Item] = []

    /// An empty queue.
    @inlinable public init() {}

    /// The time at which the next item arrives; nil if no item is in flight.
    @inlinable public var nextArrival: Instant? { onTheWay.isEmpty ? nil : onTheWay[0].at }
    /// True if no item is in flight. Held items are not in flight.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// Sends an item. It arrives after `delay`, but not before the items that were sent earlier.
    @inlinable
    public mutating func send(_ item: Item, after delay: Interval, at now: Instant) {
        onTheWay.append(Entry(at: max(entries.last?.at ?? .zero, now + delay), item: item))
    }

    /// Holds an item until the next release.
    ///
    /// - Returns: false if the item is lost, because too many items are held.
    @inlinable
    @discardableResult
    public mutating func hold(_ item: Item) -> Bool {
        guard held.count < Self.heldCountMax else { return false }
        waiting.append(item)
        return true
    }

    /// Sends, drops or holds an item, as the verdict requires.
    @inlinable
    public mutating func apply(_ verdict: FrameVerdict, to item: Item, at now: Instant) {
        switch verdict {
        case .deliver(let after):
            send(item, after: after, at: now)
        case .deliverTwice(let after):
            send(item, after: after, at: now)
            send(item, after: after, at: now)
        case .drop:
            break
        case .hold:
            hold(item)
        }
    }

    /// Releases the held items. They arrive in their order right after the items in flight, or at once if there are
    /// none.
    ///
    /// - Returns: the number of released items.
    @inlinable
    @discardableResult
    public mutating func release(at now: Instant) -> Int {
        let released = held
        waiting = []
        for item in released {
            send(item, after: .zero, at: now)
        }
        return released.count
    }

    /// Removes and returns the next item that has arrived by `now`; nil if there is none.
    @inlinable
    public mutating func popArrived(by now: Instant) -> Item? {
        guard let first = entries.first, first.at <= now else { return nil }
        return onTheWay.remove(at: 0).item
    }

    /// Removes all items, including held ones.
    @inlinable
    public mutating func removeAll() {
        onTheWay = []
        waiting = []
    }
}

extension LinkQueue: Sendable where Item: Sendable {}
extension LinkQueue: Equatable where Item: Equatable {}
extension LinkQueue: Hashable where Item: Hashable {}
extension LinkQueue: Codable where Item: Codable {}
extension LinkQueue.Entry: Sendable where Item: Sendable {}
extension LinkQueue.Entry: Equatable where Item: Equatable {}
extension LinkQueue.Entry: Hashable where Item: Hashable {}
extension LinkQueue.Entry: Codable where Item: Codable {}
