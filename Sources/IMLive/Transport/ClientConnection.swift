/// A client's end of a connection, from the attempt to connect to the end.
///
/// Confined to one event loop: it is used there, and calls back there, in order. It calls `onOpen` at most once,
/// `onClose` exactly once, and nothing after that. No callback is called inside its own methods.
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

    /// Called for each message, with the sender's tag if the sender is in this process, else 0.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// Called when the connection has ended, or could not be opened, with the tag of the event that closed the other
    /// end if that was in this process, else 0.
    public var onClose: ((ConnectionEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// Sets the tag of the event that closes this end, before the network ends it.
    public func setClosingTag(_ tag: UInt64) { core.tagged?.close(tag) }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message; no effect unless the connection is open.
    ///
    /// - Parameter tag: the sender's identifier, passed to a receiver in this process; see ``MessageTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Starts or stops reading from the server; see ``ServerConnection/setReading(_:)``.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes in an orderly way, after all sent messages. Messages that arrive later are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that RFC 6455 allows an endpoint to send; 1000 is sent instead of any other.
    ///   - tag: as for ``send(_:tag:)``.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection, or stops the attempt to connect.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
