import NIOCore

/// A server's end of an open connection.
///
/// Confined to the event loop of its listener: its methods are called there, and it calls its closures there, in order.
/// It calls `onClose` exactly once, as the last closure. It never calls a closure inside one of its own methods.
public final class ServerConnection {
    private let core: ConnectionCore
    /// The client's address, as `address:port`.
    public let remoteAddress: String
    /// The client's IPv4 address or 64-bit IPv6 network.
    public let remoteNetwork: String
    /// Path and query of the client's request.
    public let target: String

    init(core: ConnectionCore, remoteAddress: String, remoteNetwork: String, target: String) {
        self.core = core
        self.remoteAddress = remoteAddress
        self.remoteNetwork = remoteNetwork
        self.target = target
    }

    /// Called for each message, with the sender's tag. The tag is 0 if the sender is in another process.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// Called when the connection has ended. The tag is that of the event that closed the other end, or 0 if the other
    /// end is in another process.
    public var onClose: ((ConnectionEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// The tag of the event that requested the connection; 0 if the client is in another process.
    public var openingTag: UInt64 { core.tagged?.opening ?? 0 }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message. It has no effect after the connection has ended.
    ///
    /// - Parameter tag: identifies the message for a receiver in this process; see ``MessageTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Sends one message in a buffer that other connections also send, so that its bytes are not copied. It has no
    /// effect after the connection has ended.
    public func send(_ bytes: ByteBuffer, tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Starts or stops reading from the client. While reading is stopped, data waits in the buffers of the operating
    /// systems, and then in the client. Data that was already read still arrives, at most one burst, and so does the
    /// end of the connection.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes the connection with a close frame, after all sent messages. Messages that arrive later are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that RFC 6455 allows an endpoint to send; 1000 is sent instead of any other.
    ///   - tag: the tag of the event that closes the connection.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
