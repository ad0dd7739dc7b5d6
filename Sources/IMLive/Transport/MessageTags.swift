/// Identifies messages at both ends of a connection within this process: the sender gives each message a tag, and the
/// receiver gets the tag with the message. Tags are not sent over the network. TCP keeps the order, so that the next
/// received message is the oldest sent one that has not been received.
///
/// Confined to the event loop of both ends.
public final class MessageTags {
    /// The server's ends of connections that began here and are not accepted yet, by the client's port.
    private var begun: [Int: TaggedEnd] = [:]

    public init() {}

    /// A client of this process has connected from a port.
    ///
    /// - Parameter tag: the tag of the attempt.
    func begin(port: Int, tag: UInt64) -> TaggedEnd {
        let (toServer, toClient) = (TaggedMessages(), TaggedMessages())
        begun[port] = TaggedEnd(opening: tag, outgoing: toClient, incoming: toServer)
        return TaggedEnd(opening: tag, outgoing: toServer, incoming: toClient)
    }

    /// A server of this process accepts the connection from a port; nil if it is not from a client of this process.
    func accept(port: Int) -> TaggedEnd? { begun.removeValue(forKey: port) }
}

/// One end of a connection with both ends in this process.
struct TaggedEnd {
    /// The tag of the attempt to connect.
    let opening: UInt64
    fileprivate let outgoing: TaggedMessages
    fileprivate let incoming: TaggedMessages

    /// A message was handed to the socket.
    func wrote(_ tag: UInt64) { outgoing.wrote(tag) }

    /// A message has arrived.
    ///
    /// - Returns: the sender's tag; 0 if it is not known.
    func read() -> UInt64 { incoming.read() }

    /// This end is being closed.
    func close(_ tag: UInt64) { outgoing.closing = tag }

    /// The tag of the event that closed the other end; 0 if no event of this process did.
    var closingOfPeer: UInt64 { incoming.closing }
}

/// The messages of one direction, shared by both ends.
private final class TaggedMessages {
    /// More than a socket's buffers ever hold; a peer that does not read is cut off earlier.
    private static let unreadCountMax = 1 << 20

    /// The tags of the sent messages; those from ``head`` on have not been received.
    private var written: [UInt64] = []
    private var head = 0
    private var isLost = false
    /// The tag of the event that closed the sending end.
    var closing: UInt64 = 0

    func wrote(_ tag: UInt64) {
        guard !isLost else { return }
        written.append(tag)
        guard written.count - head > Self.unreadCountMax else { return }
        (written, head, isLost) = ([], 0, true)
    }

    func read() -> UInt64 {
        guard head < written.count else { return 0 }
        defer {
            head += 1
            if head > 64, head * 2 > written.count {
                written.removeFirst(head)
                head = 0
            }
        }
        return written[head]
    }
}
