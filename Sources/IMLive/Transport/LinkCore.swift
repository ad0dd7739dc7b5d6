import NIOCore

/// What comes up to a link.
enum InboundItem {
    /// The handshake is done.
    case opened
    /// The tag is that of its sending, 0 where that is not known.
    case message([UInt8], tag: UInt64)
    /// Comes once, as the last item.
    case ended(LinkEnd)
    /// The other end is gone, but no packet that says so got through. Only faults make it.
    case vanished
}

/// What a link sends down.
enum OutboundItem {
    /// The buffer may be that of other links too: a message to many is laid out once.
    case message(ByteBuffer, tag: UInt64)
    case close(code: UInt16, reason: String)
}

/// The top of a connection's pipeline, as its link uses it.
protocol LinkTail: AnyObject {
    func write(_ item: OutboundItem)
    func abort()
    /// Whether what the peer sends is read.
    func setReading(_ isReading: Bool)
    /// The link has ended, whoever ended it.
    func linkEnded()
}

/// What a client's and a server's link have in common: it passes on what comes, in order, and nothing after the end.
///
/// Confined to the event loop of its connection; no callback comes from inside `send`, `close` or `abort`.
final class LinkCore {
    enum Phase {
        case connecting
        case open
        /// This side has asked for the end and hears no more messages.
        case closing
        case ended
    }

    let loop: any EventLoop
    private(set) var phase = Phase.connecting
    var tail: (any LinkTail)?
    var onOpen: (() -> Void)?
    var onMessage: (([UInt8], UInt64) -> Void)?
    var onClose: ((LinkEnd, UInt64) -> Void)?
    /// Where the other end is in this process too.
    var tagged: TaggedEnd?

    init(loop: any EventLoop) {
        self.loop = loop
    }

    var hasEnded: Bool {
        switch phase {
        case .connecting, .open, .closing: false
        case .ended: true
        }
    }

    var isConnecting: Bool {
        switch phase {
        case .connecting: true
        case .open, .closing, .ended: false
        }
    }

    func receive(_ item: InboundItem) {
        loop.preconditionInEventLoop()
        switch (item, phase) {
        case (.opened, .connecting):
            phase = .open
            onOpen?()
        case (.message(let bytes, let tag), .open):
            onMessage?(bytes, tag)
        case (.ended(let end), .connecting), (.ended(let end), .open):
            finish(end)
        case (.ended, .closing):
            finish(.closedHere)
        case (.opened, _), (.message, _), (.ended, .ended), (.vanished, _):
            break
        }
    }

    func send(_ bytes: [UInt8], tag: UInt64) { send(ByteBuffer(bytes: bytes), tag: tag) }

    func send(_ bytes: ByteBuffer, tag: UInt64) {
        loop.preconditionInEventLoop()
        switch phase {
        case .open: tail?.write(.message(bytes, tag: tag))
        case .connecting, .closing, .ended: break
        }
    }

    func setReading(_ isReading: Bool) {
        loop.preconditionInEventLoop()
        tail?.setReading(isReading)
    }

    func close(code: UInt16, reason: String, tag: UInt64) {
        loop.preconditionInEventLoop()
        switch phase {
        case .connecting:
            abort(tag: tag)
        case .open:
            tagged?.close(tag)
            phase = .closing
            tail?.write(.close(code: code, reason: reason))
        case .closing, .ended:
            break
        }
    }

    func abort(tag: UInt64 = 0) {
        loop.preconditionInEventLoop()
        guard !hasEnded else { return }
        if phase != .closing { tagged?.close(tag) }
        phase = .closing
        // The end comes with the next turn of the loop, so that no caller is called back from inside its own call.
        loop.assumeIsolated().execute { self.receive(.ended(.closedHere)) }
        tail?.abort()
    }

    private func finish(_ end: LinkEnd) {
        phase = .ended
        let callback = onClose
        // The closures usually hold the link's owner; letting them go here ends the circle.
        onOpen = nil
        onMessage = nil
        onClose = nil
        let tail = self.tail
        self.tail = nil
        tail?.linkEnded()
        callback?(end, tagged?.closingOfPeer ?? 0)
    }
}

/// The top of a pipeline without faults.
final class PlainTail: ChannelInboundHandler, LinkTail {
    typealias InboundIn = InboundItem
    typealias OutboundOut = OutboundItem

    private let core: LinkCore
    private let socket: SocketHandler
    private var context: ChannelHandlerContext?

    init(core: LinkCore, socket: SocketHandler) {
        self.core = core
        self.socket = socket
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        core.receive(unwrapInboundIn(data))
    }

    func write(_ item: OutboundItem) {
        context?.writeAndFlush(wrapOutboundOut(item), promise: nil)
    }

    func abort() { socket.abort() }

    func setReading(_ isReading: Bool) { socket.setReading(isReading) }

    func linkEnded() {}
}
