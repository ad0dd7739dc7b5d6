public import SansIO

/// One recorded event in the reader's buffer.
///
/// It copies nothing. The two byte ranges are valid until the scanner that returned it reads the next event, or until
/// the closure that received it returns; to keep the event longer, make an ``Event`` of it.
public struct EventView {
    /// The event's number, from 1, which identifies it everywhere.
    public let number: UInt64
    /// The session's time of the event.
    public let time: Instant
    /// The event's node; ``NodeIndex/session`` if it belongs to no machine.
    public let node: NodeIndex
    /// The side of the node that it belongs to.
    public let channel: Channel
    /// Its direction, from the node's view.
    public let direction: Direction
    /// Its role in a replay.
    public let role: EventRole
    /// The number of the connection; 0 for none.
    public let stream: UInt32
    /// The number of the event that caused it, always a smaller one; 0 if nothing in the session did, or if the cause
    /// was not recorded.
    public let cause: UInt64
    /// The bytes that the schema encoded.
    public let payload: UnsafeRawBufferPointer
    /// The summary as UTF-8; empty if the session was recorded without summaries.
    public let commentBytes: UnsafeRawBufferPointer
    /// The byte offset of the event's block in the file.
    public let offset: UInt64

    /// The event with another payload.
    package func replacingPayload(_ payload: UnsafeRawBufferPointer) -> EventView {
        EventView(
            number: number, time: time, node: node, channel: channel, direction: direction, role: role,
            stream: stream, cause: cause, payload: payload, commentBytes: commentBytes, offset: offset)
    }

    /// The summary. Invalid UTF-8 is replaced.
    public var comment: String {
        commentBytes.isEmpty ? "" : String(decoding: commentBytes, as: UTF8.self)
    }
}
