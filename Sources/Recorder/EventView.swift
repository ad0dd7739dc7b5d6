public import SansIO

/// One recorded event where it lies in the reader's buffer.
///
/// It copies nothing. The two byte ranges are valid until the scanner that handed it out goes on, or until the closure
/// that received it returns; whoever needs the event longer makes an ``Event`` of it.
public struct EventView {
    /// Counts from 1; the address of the event everywhere.
    public let number: UInt64
    /// When it happened, in the session's time.
    public let time: Instant
    /// The node that it belongs to; ``NodeIndex/session`` for what belongs to no machine.
    public let node: NodeIndex
    /// Which side of the node it belongs to.
    public let channel: Channel
    /// Its way, seen from the node.
    public let direction: Direction
    /// What it is to a replay.
    public let role: EventRole
    /// Which connection; 0 is none.
    public let stream: UInt32
    /// The number of the event that led to it, always a smaller one; 0 where nothing in the session did, or where that
    /// was not recorded.
    public let cause: UInt64
    /// What it says, as the schema encoded it.
    public let payload: UnsafeRawBufferPointer
    /// The summary as UTF-8; empty when the session was recorded without.
    public let commentBytes: UnsafeRawBufferPointer
    /// Where the event's block begins, in bytes from the beginning of the file.
    public let offset: UInt64

    /// The same event with other words.
    package func saying(_ payload: UnsafeRawBufferPointer) -> EventView {
        EventView(
            number: number, time: time, node: node, channel: channel, direction: direction, role: role,
            stream: stream, cause: cause, payload: payload, commentBytes: commentBytes, offset: offset)
    }

    /// The summary. Bytes that are no UTF-8 are replaced.
    public var comment: String {
        commentBytes.isEmpty ? "" : String(decoding: commentBytes, as: UTF8.self)
    }
}
