import SansIO

/// The items in flight in one direction of one connection, in order of arrival.
///
/// It keeps the order that random delays would break: an item never arrives before one that was sent earlier. Both
/// worlds use it; the live one turns ``nextArrival`` into a timer, the simulated one into an entry of its agenda. It is
/// inlinable, because the item type belongs to another module.
public struct LinkQueue<Item> {
    /// The maximum number of held items; further ones are lost.
    @inlinable public static var heldCountMax: Int { 10_000 }

    /// An item in flight.
    public struct Entry {
        /// The time of its arrival.
        public let at: Instant
        /// The item that was sent.
        public let item: Item

        @inlinable
        init(at: Instant, item: Item) {
            self.at = at
            self.item = item
        }
    }

    /// The items in flight, the next one first.
    @inlinable public var entries: [Entry] { onTheWay }
    @usableFromInline var onTheWay: [Entry] = []
    /// The held items, in the order in which they were sent.
    @inlinable public var held: [Item] { waiting }
    @usableFromInline var waiting: [Item] = []

    /// An empty queue.
    @inlinable public init() {}

    /// The time of the next arrival.
    @inlinable public var nextArrival: Instant? { onTheWay.isEmpty ? nil : onTheWay[0].at }
    /// True if nothing is in flight; held items do not count.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// Sends an item that takes `delay`, or longer if an earlier one takes longer.
    @inlinable
    public mutating func send(_ item: Item, after delay: Interval, at now: Instant) {
        onTheWay.append(Entry(at: max(entries.last?.at ?? .zero, now + delay), item: item))
    }

    /// Keeps an item until the next release; false if it is lost because too many are held.
    @inlinable
    @discardableResult
    public mutating func hold(_ item: Item) -> Bool {
        guard held.count < Self.heldCountMax else { return false }
        waiting.append(item)
        return true
    }

    /// Carries out a verdict on an item.
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

    /// Releases the held items: they arrive now, in order, after the items in flight.
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

    /// Removes and returns the next item that has arrived by `now`.
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
