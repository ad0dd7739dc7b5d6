import SansIO

/// What is on its way in one direction of one connection, in the order in which it arrives.
///
/// It keeps order where delays do not: an item never arrives before one that was sent earlier. Both worlds use it; the
/// live one turns ``nextArrival`` into a timer, the simulated one into an entry of its agenda. It is inlinable, because
/// what it carries is its user's.
public struct LinkQueue<Item> {
    /// How many items can be held; what would be held beyond that is lost.
    @inlinable public static var heldCountMax: Int { 10_000 }

    /// An item on its way.
    public struct Entry {
        /// When it arrives.
        public let at: Instant
        /// What was sent.
        public let item: Item

        @inlinable
        init(at: Instant, item: Item) {
            self.at = at
            self.item = item
        }
    }

    /// What is on its way, next one first.
    @inlinable public var entries: [Entry] { onTheWay }
    @usableFromInline var onTheWay: [Entry] = []
    /// What waits for a release, in the order in which it was sent.
    @inlinable public var held: [Item] { waiting }
    @usableFromInline var waiting: [Item] = []

    /// Nothing is on its way, and nothing is held.
    @inlinable public init() {}

    /// When the next item arrives.
    @inlinable public var nextArrival: Instant? { onTheWay.isEmpty ? nil : onTheWay[0].at }
    /// Whether nothing is on its way; what is held does not count.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// Sends an item that takes `delay`, or longer if an earlier one takes longer.
    @inlinable
    public mutating func send(_ item: Item, after delay: Interval, at now: Instant) {
        onTheWay.append(Entry(at: max(entries.last?.at ?? .zero, now + delay), item: item))
    }

    /// Keeps an item until the next release; false when it is lost because too many are held.
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

    /// Lets go what is held: it arrives now, in order, behind what is already on its way.
    ///
    /// - Returns: how many items were let go.
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

    /// Forgets everything, also what is held.
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
