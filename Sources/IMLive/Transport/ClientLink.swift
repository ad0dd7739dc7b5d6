/// A client's end of a connection, from the attempt to connect to the end.
///
/// Confined to one event loop: it is used there, and calls back there, in order. It calls `onOpen` at most once,
/// `onClose` exactly once, and nothing after that. No callback comes from inside a call of its own methods.
public final class ClientLink {
    private let core: LinkCore

    init(core: LinkCore) {
        self.core = core
    }

    /// The connection is open.
    public var onOpen: (() -> Void)? {
        get { core.onOpen }
        set { core.onOpen = newValue }
    }

    /// A message has arrived; with the tag of its sending where that was in this process too, else 0.
    public var onMessage: (([UInt8], UInt64) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// The link has ended, or could not be opened.
    ///
    /// It is told the tag of what closed the other end, where that was in this process; else 0.
    public var onClose: ((LinkEnd, UInt64) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    /// Says what will have closed this end, before the network takes it away.
    public func setClosingTag(_ tag: UInt64) { core.tagged?.close(tag) }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message; without effect unless the link is open.
    ///
    /// - Parameter tag: the sender's own name for it, which an end in this process learns; see ``LinkTags``.
    public func send(_ bytes: [UInt8], tag: UInt64 = 0) { core.send(bytes, tag: tag) }

    /// Whether what the server sends is read; see ``ServerLink/setReading(_:)``.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes in an orderly way, after everything that was sent. Messages that arrive from now on are not passed on.
    ///
    /// - Parameters:
    ///   - code: one that RFC 6455 lets an endpoint send; 1000 is sent instead of any other.
    ///   - tag: as of ``send(_:tag:)``.
    public func close(code: UInt16 = 1000, reason: String = "", tag: UInt64 = 0) {
        core.close(code: code, reason: reason, tag: tag)
    }

    /// Resets the connection, or gives up the attempt to connect.
    public func abort(tag: UInt64 = 0) { core.abort(tag: tag) }
}
