import NIOCore

/// Identifies messages at both ends of a connection within this process. The sender gives each message a tag, and the
/// receiver gets the tag with the message. Tags are not sent over the network. TCP preserves the order of messages, so
/// each received message has the oldest tag that has not been used.
///
/// Confined to the event loop of both ends.
public final class MessageTags {
    /// The server's ends of connections that a client of this process has opened and the server has not accepted yet,
    /// by the client's port.
    private var unaccepted: [Int: TaggedEnd] = [:]

    public init() {}

    /// Called when a client of this process has connected, from a local port.
    ///
    /// - Parameter tag: the tag of the event that requested the connection.
    func begin(port: Int, tag: UInt64) -> TaggedEnd {
        let (toServer, toClient) = (TaggedMessages(), TaggedMessages())
        unaccepted[port] = TaggedEnd(opening: tag, outgoing: toClient, incoming: toServer)
        return TaggedEnd(opening: tag, outgoing: toServer, incoming: toClient)
    }

    /// Called when a server of this process accepts a connection from a port. Returns nil if the client is in another
    /// process.
    func accept(port: Int) -> TaggedEnd? { unaccepted.removeValue(forKey: port) }
}

/// One end of a connection with both ends in this process.
struct TaggedEnd {
    /// The tag of the event that requested the connection.
    let opening: UInt64
    fileprivate let outgoing: TaggedMessages
    fileprivate let incoming: TaggedMessages

    /// Called when a message was written to the socket.
    func recordSent(_ tag: UInt64) { outgoing.recordSent(tag) }

    /// Called when a message has arrived.
    ///
    /// - Returns: the sender's tag; 0 if it is unknown.
    func takeReceived() -> UInt64 { incoming.takeReceived() }

    /// Called when an event closes this end.
    func close(_ tag: UInt64) { outgoing.closing = tag }

    /// The tag of the event that closed the other end; 0 if that was no event of this process.
    var closingOfPeer: UInt64 { incoming.closing }
}

/// The tags of the messages in one direction. Both ends use the same object.
private final class TaggedMessages {
    /// The maximum number of unreceived messages. A socket's buffers never contain as many. If there are more, tags are
    /// no longer recorded.
    private static let unreadCountMax = 1 << 20

    /// The tags of the messages that were sent and have not been received.
    private var sent = CircularBuffer<UInt64>()
    private var isLost = false
    /// The tag of the event that closed the sending end.
    var closing: UInt64 = 0

    func recordSent(_ tag: UInt64) {
        guard !isLost else { return }
        sent.append(tag)
        guard sent.count > Self.unreadCountMax else { return }
        (sent, isLost) = (CircularBuffer(), true)
    }

    func takeReceived() -> UInt64 { sent.popFirst() ?? 0 }
}
