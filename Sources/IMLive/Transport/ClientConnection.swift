/// A client's end of a connection, from the attempt to connect until the connection has ended.
///
/// Confined to one event loop: its methods are called there, and it calls its closures there, in order. It calls
/// `onOpen` at most once and `onClose` exactly once, as the last closure. It never calls a closure inside one of its
/// own methods.
public final class ClientConnection {
    private let core: ConnectionCore

    init(core: ConnectionCore) {
        self.core = core
    }

    /// Called when the connection is open.
    public var onOpen: (() -> Void)? {
        get { core.onOpen }
        set { core.onOpen = newValue }
    }

    /// Called for each message, with the sender's tag. The tag is 0 if the sender is in another process.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// Called when the connection has ended, or could not be opened. The tag is that of the event that closed the other
    /// end, or 0 if the other end is in another process.
    public var onClose: ((ConnectionEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// Sets the tag of the event that closes this end. Called before a `net` command ends the connection.
    public func setClosingTag(_ tag: UInt64) { core.tagged?.close(tag) }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message. It has no effect unless the connection is open.
    ///
    /// - Parameter tag: identifies the message for a receiver in this process; see ``MessageTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Starts or stops reading from the server; see ``ServerConnection/setReading(_:)``.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes the connection with a close frame, after all sent messages. Messages that arrive later are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that RFC 6455 allows an endpoint to send; 1000 is sent instead of any other.
    ///   - tag: the tag of the event that closes the connection.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection, or stops the attempt to connect.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
