import NIOCore

/// A server's end of an open connection.
///
/// Confined to the event loop of its listener: it is used there, and calls back there, in order. It calls `onClose`
/// exactly once, and nothing after that. No callback comes from inside a call of its own methods.
public final class ServerLink {
    private let core: LinkCore
    /// Where the client connects from, as `address:port`.
    public let remoteAddress: String
    /// The IPv4 address that the client connects from, or the IPv6 network of 64 bits.
    public let remoteNetwork: String
    /// Path and query of the client's request.
    public let target: String

    init(core: LinkCore, remoteAddress: String, remoteNetwork: String, target: String) {
        self.core = core
        self.remoteAddress = remoteAddress
        self.remoteNetwork = remoteNetwork
        self.target = target
    }

    /// A message has arrived; with the tag of its sending where that was in this process too, else 0.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// The link has ended.
    ///
    /// It is told the tag of what closed the other end, where that was in this process; else 0.
    public var onClose: ((LinkEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// The tag of the client's attempt to connect, where that was in this process; else 0.
    public var openingTag: UInt64 { core.tagged?.opening ?? 0 }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message; without effect once the link is closed.
    ///
    /// - Parameter tag: the sender's own name for it, which an end in this process learns; see ``LinkTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// The same with bytes that other links send too: they are not copied.
    public func send(_ bytes: ByteBuffer, tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Whether what the client sends is read. While it is not, the client has to wait with more than what the operating
    /// systems take; what had been read already, one burst at most, still arrives. The end of the link arrives too.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes in an orderly way, after everything that was sent. Messages that arrive from now on are not passed on.
    ///
    /// - Parameters:
    ///   - code: one that RFC 6455 lets an endpoint send; 1000 is sent instead of any other.
    ///   - tag: as of ``send(_:tag:)``.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
