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

    /// A message has arrived.
    public var onMessage: (([UInt8]) -> Void)? {
        get { core.onMessage }
        set { core.onMessage = newValue }
    }

    /// The link has ended, or could not be opened.
    public var onClose: ((LinkEnd) -> Void)? {
        get { core.onClose }
        set { core.onClose = newValue }
    }

    public var hasEnded: Bool { core.hasEnded }

    /// Sends one message; without effect unless the link is open.
    public func send(_ bytes: [UInt8]) { core.send(bytes) }

    /// Whether what the server sends is read; see ``ServerLink/setReading(_:)``.
    public func setReading(_ isReading: Bool) { core.setReading(isReading) }

    /// Closes in an orderly way, after everything that was sent. Messages that arrive from now on are not passed on.
    ///
    /// - Parameter code: one that RFC 6455 lets an endpoint send; 1000 is sent instead of any other.
    public func close(code: UInt16 = 1000, reason: String = "") { core.close(code: code, reason: reason) }

    /// Resets the connection, or gives up the attempt to connect.
    public func abort() { core.abort() }
}
