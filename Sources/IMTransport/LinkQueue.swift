import SansIO

/// What is on its way in one direction of one connection, in the order in which it arrives.
///
/// It keeps order where delays do not: an item never arrives before one that was sent earlier. Both worlds use it; the
/// live one turns ``nextArrival`` into a timer, the simulated one into an entry of its agenda.
public struct LinkQueue<Item> {
    /// How many items can be held; what would be held beyond that is lost.
    public static var heldCountMax: Int { 10_000 }

    /// An item on its way.
    public struct Entry {
        public let at: Instant
        public let item: Item
    }

    /// What is on its way, next one first.
    public private(set) var entries: [Entry] = []
    /// What waits for a release, in the order in which it was sent.
    public private(set) var held: [Item] = []

    public init() {}

    /// When the next item arrives.
    public var nextArrival: Instant? { entries.first?.at }
    /// Whether nothing is on its way; what is held does not count.
    public var isEmpty: Bool { entries.isEmpty }

    /// Sends an item that takes `delay`, or longer if an earlier one takes longer.
    public mutating func send(_ item: Item, after delay: Interval, at now: Instant) {
        entries.append(Entry(at: max(entries.last?.at ?? .zero, now + delay), item: item))
    }

    /// Keeps an item until the next release; false when it is lost because too many are held.
    @discardableResult
    public mutating func hold(_ item: Item) -> Bool {
        guard held.count < Self.heldCountMax else { return false }
        held.append(item)
        return true
    }

    /// Carries out a verdict on an item.
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
    @discardableResult
    public mutating func release(at now: Instant) -> Int {
        let released = held
        held = []
        for item in released {
            send(item, after: .zero, at: now)
        }
        return released.count
    }

    /// Removes and returns the next item that has arrived by `now`.
    public mutating func popArrived(by now: Instant) -> Item? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().item
    }

    /// Forgets everything, also what is held.
    public mutating func removeAll() {
        entries = []
        held = []
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
