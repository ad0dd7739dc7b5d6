import NIOCore

/// A server's end of an open connection.
///
/// Confined to the event loop of its listener: it is used there, and calls back there, in order. It calls `onClose`
/// exactly once, and nothing after that. No callback is called inside its own methods.
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

    /// Called for each message, with the sender's tag if the sender is in this process, else 0.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// Called when the connection has ended, with the tag of the event that closed the other end if that was in this
    /// process, else 0.
    public var onClose: ((ConnectionEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// The tag of the client's attempt to connect, if the client is in this process; else 0.
    public var openingTag: UInt64 { core.tagged?.opening ?? 0 }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message; no effect after the end.
    ///
    /// - Parameter tag: the sender's identifier, passed to a receiver in this process; see ``MessageTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Sends one message whose bytes other connections also send: they are not copied. No effect after the end.
    public func send(_ bytes: ByteBuffer, tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Starts or stops reading from the client. Unread data stays with the operating systems, and then with the client.
    /// Data that was already read still arrives, at most one burst, and so does the end of the connection.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes in an orderly way, after all sent messages. Messages that arrive later are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that RFC 6455 allows an endpoint to send; 1000 is sent instead of any other.
    ///   - tag: as for ``send(_:tag:)``.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
