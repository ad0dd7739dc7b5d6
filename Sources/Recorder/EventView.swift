public import SansIO

/// A recorded event in the buffer of a scanner, without a copy of its bytes.
///
/// ``payload`` and ``commentBytes`` are valid until the scanner reads the next event, or until the closure that
/// received the view returns. To keep the event longer, copy it to an ``Event``.
public struct EventView {
    /// The event's number in the session, from 1. Events refer to each other by this number.
    public let number: UInt64
    /// The session's time of the event.
    public let time: Instant
    /// The event's node; ``NodeIndex/session`` if the event belongs to no machine.
    public let node: NodeIndex
    /// The side of the node to which the event belongs.
    public let channel: Channel
    /// The direction of the event.
    public let direction: Direction
    /// The role of the event in a replay.
    public let role: EventRole
    /// The number of the connection; 0 for none.
    public let stream: UInt32
    /// The number of the event that caused this one, which is smaller than ``number``. 0 if no event of the session
    /// did, or if the cause was not recorded.
    public let cause: UInt64
    /// The bytes that the schema encoded.
    public let payload: UnsafeRawBufferPointer
    /// The comment as UTF-8; empty if the session was recorded without comments.
    public let commentBytes: UnsafeRawBufferPointer
    /// The byte offset of the event's block in the file.
    public let offset: UInt64

    /// The event with another payload.
    package func replacingPayload(_ payload: UnsafeRawBufferPointer) -> EventView {
        EventView(
            number: number, time: time, node: node, channel: channel, direction: direction, role: role,
            stream: stream, cause: cause, payload: payload, commentBytes: commentBytes, offset: offset)
    }

    /// The one-line summary of the event. Invalid UTF-8 is replaced.
    public var comment: String {
        commentBytes.isEmpty ? "" : String(decoding: commentBytes, as: UTF8.self)
    }
}
