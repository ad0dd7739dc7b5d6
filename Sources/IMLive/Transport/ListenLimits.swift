/// The limits of a listener for its peers, and what happens if a peer exceeds a limit.
public struct ListenLimits: Hashable, Sendable {
    /// The maximum number of connections. A request for one more is answered with 503.
    public var connectionsMax: Int
    /// The maximum number of connections from one address. A request for one more is answered with 429.
    public var connectionsPerAddressMax: Int
    /// The maximum number of bytes that wait for one peer which does not read. If there are more, the connection is
    /// closed with 1008.
    public var unsentBytesMax: Int
    /// The maximum number of bytes that wait for all peers together. If there are more, the connection of a peer with
    /// many waiting bytes is closed like that of a peer which does not read.
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

    /// The maximum number of refused peers that receive an answer at the same time. A further one is reset.
    static let refusedMax = 64
    /// The number of bytes that may wait for a peer, no matter how many wait for all peers.
    static let unsentBytesFair = 64 << 10
}

/// The unsent bytes on all connections of a listener. Confined to its loop.
final class UnsentBytes {
    let limits: ListenLimits
    private(set) var total = 0

    init(_ limits: ListenLimits) {
        self.limits = limits
    }

    /// True if more bytes may be sent to a peer for which some bytes already wait.
    func allows(_ bytes: Int, beside waiting: Int) -> Bool {
        guard waiting + bytes <= limits.unsentBytesMax else { return waiting == 0 }
        return total + bytes <= limits.unsentBytesTotalMax || waiting + bytes <= ListenLimits.unsentBytesFair
    }

    func add(_ bytes: Int) { total += bytes }
    func remove(_ bytes: Int) { total -= bytes }
}
