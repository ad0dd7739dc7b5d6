import NIOCore

/// TLS between a socket and what speaks over it.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long this side's end of the conversation waits for the peer's. Closed at once, with the peer's last words
    /// unread, the connection would be reset, and what this side said last might never arrive.
    static let closeLimit = TimeAmount.seconds(2)

    private let session: TLSSession
    /// What is written before the peer is known; it is sent when the handshake is over.
    private var waiting: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var isFlushAsked = false
    private var hasFailed = false
    /// Set while this side has said that it is done, and the peer has not.
    private var closing: (promise: EventLoopPromise<Void>?, limit: Scheduled<Void>)?

    init(_ session: TLSSession) {
        self.session = session
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { advance(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        advance(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0) }
        advance(context)
        deliver(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasFailed, let problem = session.unfinished { fail(problem, context) }
        failWaiting(ChannelError.ioOnClosedChannel)
        takeClosing()?.promise?.succeed()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        failWaiting(ChannelError.ioOnClosedChannel)
        takeClosing()?.promise?.fail(ChannelError.ioOnClosedChannel)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if session.isOpen, !hasFailed { return encipher(bytes, promise, context) }
        guard !hasFailed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        waiting.append((bytes, promise))
    }

    func flush(context: ChannelHandlerContext) {
        isFlushAsked = !session.isOpen
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else { return context.close(mode: mode, promise: promise) }
        if let first = closing?.promise {
            // Asked for again; the end is the same.
            return first.futureResult.cascade(to: promise)
        }
        guard closing == nil else {
            closing?.promise = promise
            return
        }
        guard session.isOpen, !hasFailed, context.channel.isActive else {
            return context.close(promise: promise)
        }
        let limit = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeLimit) {
            context.close(promise: nil)
        }
        // Before the last word is sent, by which the connection may turn out to be gone.
        closing = (promise, limit)
        session.finish()
        send(context)
        if session.isPeerDone, let closing = takeClosing() { context.close(promise: closing.promise) }
    }

    // MARK: The session

    /// Shakes hands; when that is over, sends what has waited for it.
    private func advance(_ context: ChannelHandlerContext) {
        guard !session.isOpen, !hasFailed else { return }
        do throws(TLSProblem) {
            try session.shakeHands()
        } catch {
            return fail(error, context)
        }
        send(context)
        guard session.isOpen else { return }
        let writes = waiting
        waiting = []
        for (bytes, promise) in writes { encipher(bytes, promise, context) }
        if isFlushAsked { context.flush() }
        isFlushAsked = false
    }

    /// Hands on what arrived for those above.
    private func deliver(_ context: ChannelHandlerContext) {
        guard session.isOpen else { return }
        while !hasFailed, !session.isPeerDone {
            var buffer = context.channel.allocator.buffer(capacity: 16_384)
            do {
                let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 16_384) {
                    try session.read(into: $0)
                }
                guard count > 0 else { break }
            } catch let problem as TLSProblem {
                return fail(problem, context)
            } catch {
                return fail(TLSProblem(text: "\(error)"), context)
            }
            // Who has closed hears nothing more.
            if closing == nil { context.fireChannelRead(wrapInboundOut(buffer)) }
        }
        // An answer of the protocol's own, such as to an update of the keys.
        send(context)
        guard session.isPeerDone else { return }
        if let closing = takeClosing() {
            context.close(promise: closing.promise)
        } else {
            session.finish()
            send(context)
            context.close(promise: nil)
        }
    }

    private func encipher(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        do {
            try bytes.withUnsafeReadableBytes { try session.write($0) }
        } catch {
            promise?.fail(error)
            return fail(error as? TLSProblem ?? TLSProblem(text: "\(error)"), context)
        }
        guard let sent = session.takeSent(context.channel.allocator) else {
            promise?.succeed()
            return
        }
        context.write(wrapOutboundOut(sent), promise: promise)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let sent = session.takeSent(context.channel.allocator) else { return }
        context.writeAndFlush(wrapOutboundOut(sent), promise: nil)
    }

    /// The peer is told why, where the protocol has a word for it; those above close.
    private func fail(_ problem: TLSProblem, _ context: ChannelHandlerContext) {
        hasFailed = true
        send(context)
        failWaiting(problem)
        context.fireErrorCaught(problem)
    }

    private func failWaiting(_ error: any Error) {
        for (_, promise) in waiting { promise?.fail(error) }
        waiting = []
    }

    /// The peer is waited for no longer.
    private func takeClosing() -> (promise: EventLoopPromise<Void>?, limit: Scheduled<Void>)? {
        closing?.limit.cancel()
        defer { closing = nil }
        return closing
    }
}
