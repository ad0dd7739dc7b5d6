/// Lets the two ends of a connection know what of each other's they see, where both are in this process: each message is
/// sent with a tag of the sender's own, and whoever reads it learns the tag. Nothing of it goes over the wire; TCP keeps
/// the order, so that the next message read is the oldest one written and not read yet.
///
/// Confined to the event loop of both ends.
public final class LinkTags {
    /// The connections that were begun here and not accepted yet, by the client's port.
    private var begun: [Int: TaggedLine] = [:]

    public init() {}

    /// A client of this process is connected from a port.
    ///
    /// - Parameter tag: of the attempt.
    func begin(port: Int, tag: UInt64) -> TaggedEnd {
        let line = TaggedLine(tag)
        begun[port] = line
        return TaggedEnd(line, isClient: true)
    }

    /// A server of this process accepts the connection from a port; nil where no client of this process has it.
    func accept(port: Int) -> TaggedEnd? {
        begun.removeValue(forKey: port).map { TaggedEnd($0, isClient: false) }
    }
}

/// What is known of one connection.
final class TaggedLine {
    /// More than a socket's buffers ever hold; a peer that does not read is cut off before.
    static let unreadCountMax = 1 << 20

    struct Direction {
        /// The tags of the messages that were written, from ``head`` on not read yet.
        var written: [UInt64] = []
        var head = 0
        /// The tag of what closed the end that writes here.
        var closing: UInt64 = 0
        var isLost = false
    }

    /// The tag of the attempt to connect.
    let opening: UInt64
    var toServer = Direction()
    var toClient = Direction()

    init(_ opening: UInt64) { self.opening = opening }
}

/// One end of a connection of which both are here.
final class TaggedEnd {
    private let line: TaggedLine
    private let isClient: Bool

    init(_ line: TaggedLine, isClient: Bool) {
        self.line = line
        self.isClient = isClient
    }

    /// The tag of the attempt to connect.
    var opening: UInt64 { line.opening }

    /// A message was handed to the socket.
    func wrote(_ tag: UInt64) {
        if isClient { line.toServer.wrote(tag) } else { line.toClient.wrote(tag) }
    }

    /// A message has come.
    ///
    /// - Returns: the tag it was written with; 0 where that is not known.
    func read() -> UInt64 { isClient ? line.toClient.read() : line.toServer.read() }

    /// This end is being closed.
    func close(_ tag: UInt64) {
        if isClient { line.toServer.closing = tag } else { line.toClient.closing = tag }
    }

    /// The tag of what closed the other end; 0 where nothing here did.
    var closingOfPeer: UInt64 { isClient ? line.toClient.closing : line.toServer.closing }
}

extension TaggedLine.Direction {
    fileprivate mutating func wrote(_ tag: UInt64) {
        guard !isLost else { return }
        written.append(tag)
        guard written.count - head > TaggedLine.unreadCountMax else { return }
        (written, head, isLost) = ([], 0, true)
    }

    fileprivate mutating func read() -> UInt64 {
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
