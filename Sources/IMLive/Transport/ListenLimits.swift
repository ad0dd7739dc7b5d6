/// How much of a listener its peers can take, and what happens at each bound.
public struct ListenLimits: Hashable, Sendable {
    /// Connections at once. One more is answered with 503.
    public var connectionsMax: Int
    /// Connections of one address at once. One more is answered with 429.
    public var connectionsPerAddressMax: Int
    /// Bytes that wait for one peer that does not read. With more the connection is closed: 1008.
    public var unsentBytesMax: Int
    /// Bytes that wait for all peers together. With more, a peer for which much waits is closed as one that does not
    /// read.
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

    /// Peers that are being told that there is no place for them, at once; one more is reset without a word.
    static let refusedMax = 64
    /// So much may wait for a peer whatever the others do.
    static let unsentBytesFair = 64 << 10
}

/// Bytes that wait to be sent on all connections of a listener. Confined to its loop.
final class UnsentBytes {
    let limits: ListenLimits
    private(set) var total = 0

    init(_ limits: ListenLimits) {
        self.limits = limits
    }

    /// Whether a peer for which so many bytes wait may have more.
    func allows(_ bytes: Int, beside waiting: Int) -> Bool {
        guard waiting + bytes <= limits.unsentBytesMax else { return waiting == 0 }
        return total + bytes <= limits.unsentBytesTotalMax || waiting + bytes <= ListenLimits.unsentBytesFair
    }

    func add(_ bytes: Int) { total += bytes }
    func remove(_ bytes: Int) { total -= bytes }
}
