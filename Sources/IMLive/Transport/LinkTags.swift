/// Lets the two ends of a connection know what of each other's they see, where both are in this process: each message is
/// sent with a tag of the sender's own, and whoever reads it learns the tag. Nothing of it goes over the wire; TCP keeps
/// the order, so that the next message read is the oldest one written and not read yet.
///
/// Confined to the event loop of both ends.
public final class LinkTags {
    /// The server's ends of the connections that were begun here and not accepted yet, by the client's port.
    private var begun: [Int: TaggedEnd] = [:]

    public init() {}

    /// A client of this process is connected from a port.
    ///
    /// - Parameter tag: of the attempt.
    func begin(port: Int, tag: UInt64) -> TaggedEnd {
        let (toServer, toClient) = (TaggedMessages(), TaggedMessages())
        begun[port] = TaggedEnd(opening: tag, outgoing: toClient, incoming: toServer)
        return TaggedEnd(opening: tag, outgoing: toServer, incoming: toClient)
    }

    /// A server of this process accepts the connection from a port; nil where no client of this process has it.
    func accept(port: Int) -> TaggedEnd? { begun.removeValue(forKey: port) }
}

/// One end of a connection of which both are here.
struct TaggedEnd {
    /// The tag of the attempt to connect.
    let opening: UInt64
    fileprivate let outgoing: TaggedMessages
    fileprivate let incoming: TaggedMessages

    /// A message was handed to the socket.
    func wrote(_ tag: UInt64) { outgoing.wrote(tag) }

    /// A message has come.
    ///
    /// - Returns: the tag it was written with; 0 where that is not known.
    func read() -> UInt64 { incoming.read() }

    /// This end is being closed.
    func close(_ tag: UInt64) { outgoing.closing = tag }

    /// The tag of what closed the other end; 0 where nothing here did.
    var closingOfPeer: UInt64 { incoming.closing }
}

/// The messages of one direction; both ends have it.
private final class TaggedMessages {
    /// More than a socket's buffers ever hold; a peer that does not read is cut off before.
    private static let unreadCountMax = 1 << 20

    /// The tags of the messages that were written, from ``head`` on not read yet.
    private var written: [UInt64] = []
    private var head = 0
    private var isLost = false
    /// The tag of what closed the end that writes here.
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
