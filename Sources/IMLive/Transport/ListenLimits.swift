/// The limits of a listener for its peers, and the consequence of each.
public struct ListenLimits: Hashable, Sendable {
    /// The maximum number of connections. A further one is answered with 503.
    public var connectionsMax: Int
    /// The maximum number of connections from one address. A further one is answered with 429.
    public var connectionsPerAddressMax: Int
    /// The maximum number of bytes that wait for one peer which does not read. Beyond it, the connection is closed with
    /// 1008.
    public var unsentBytesMax: Int
    /// The maximum number of bytes that wait for all peers together. Beyond it, a peer with much waiting data is closed
    /// like one that does not read.
    public var unsentBytesTotalMax: Int

    public init(
        connectionsMax: Int = 10_000, connectionsPerAddressMax: Int = 1_000, unsentBytesMax: Int = 4 << 20,
        unsentBytesTotalMax: Int = 256 << 20
    ) {
        self.connectionsMax = connectionsMax
        self.connectionsPerAddressMax = connectionsPerAddressMax
        self.unsentBytesMax = unsentBytesMax
        self.unsentBytesTotalMax = unsentBytesTotalMax
    }

    /// The maximum number of refused peers that are being answered. A further one is reset without an answer.
    static let refusedMax = 64
    /// The number of bytes that may wait for a peer regardless of the others.
    static let unsentBytesFair = 64 << 10
}

/// The unsent bytes on all connections of a listener. Confined to its loop.
final class UnsentBytes {
    let limits: ListenLimits
    private(set) var total = 0

    init(_ limits: ListenLimits) {
        self.limits = limits
    }

    /// True if a peer with that many waiting bytes may have more.
    func allows(_ bytes: Int, beside waiting: Int) -> Bool {
        guard waiting + bytes <= limits.unsentBytesMax else { return waiting == 0 }
        return total + bytes <= limits.unsentBytesTotalMax || waiting + bytes <= ListenLimits.unsentBytesFair
    }

    func add(_ bytes: Int) { total += bytes }
    func remove(_ bytes: Int) { total -= bytes }
}
