import NIOCore

/// An item that a connection's core receives from its pipeline.
enum InboundItem {
    /// The handshake is complete.
    case opened
    /// The bytes of a message, with the sender's tag; 0 if the sender is in another process.
    case message([UInt8], tag: UInt64)
    /// The connection has ended. This is the last item.
    case ended(ConnectionEnd)
    /// The other end was closed, but no packet that reports this arrived. Only a fault causes it.
    case vanished
}

/// An item that a connection's core sends to its pipeline.
enum OutboundItem {
    /// Several connections may share the buffer, because a message to many receivers is encoded once.
    case message(ByteBuffer, tag: UInt64)
    case close(code: UInt16, reason: String)
}

/// The last handler of a connection's pipeline, as the connection's core uses it.
protocol PipelineTail: AnyObject {
    func write(_ item: OutboundItem)
    func abort()
    /// Starts or stops reading from the peer.
    func setReading(_ isReading: Bool)
    /// Called when the core has ended. Either side may have closed the connection.
    func linkEnded()
}

/// The common part of a client's and a server's connection. It passes received items to the callbacks, in order, and
/// nothing after the end.
///
/// Confined to the event loop of its connection. No callback is called inside `send`, `close` or `abort`.
final class ConnectionCore {
    enum Phase {
        case connecting
        case open
        /// This side has closed the connection and receives no more messages.
        case closing
        case ended
    }

    let loop: any EventLoop
    private(set) var phase = Phase.connecting
    var tail: (any PipelineTail)?
    var onOpen: (() -> Void)?
    var onMessage: (([UInt8], UInt64) -> Void)?
    var onClose: ((ConnectionEnd, UInt64) -> Void)?
    /// The message tags of the connection; nil if the other end is in another process.
    var tagged: TaggedEnd?

    init(loop: any EventLoop) {
        self.loop = loop
    }

    var hasEnded: Bool { phase == .ended }

    var isConnecting: Bool { phase == .connecting }

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
        if phase == .open { tail?.write(.message(bytes, tag: tag)) }
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
        // The core ends in the next turn of the loop, so that no callback is called inside the caller's own call.
        loop.assumeIsolated().execute { self.receive(.ended(.closedHere)) }
        tail?.abort()
    }

    private func finish(_ end: ConnectionEnd) {
        phase = .ended
        let callback = onClose
        // The closures usually retain the connection's owner. Releasing them here breaks the reference cycle.
        onOpen = nil
        onMessage = nil
        onClose = nil
        let tail = self.tail
        self.tail = nil
        tail?.linkEnded()
        callback?(end, tagged?.closingOfPeer ?? 0)
    }
}

/// The last handler of a pipeline without faults.
final class PlainTail: ChannelInboundHandler, PipelineTail {
    typealias InboundIn = InboundItem
    typealias OutboundOut = OutboundItem

    private let core: ConnectionCore
    private let socket: SocketHandler
    private var context: ChannelHandlerContext?

    init(core: ConnectionCore, socket: SocketHandler) {
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
