import Foundation
import NIOCore

/// The first handler of every pipeline, below TLS and all buffers, so that it can reset the connection.
///
/// It also divides the loop's time among a listener's connections. A long read pauses its connection until the other
/// connections were served. The answers to one read are sent with one write to the socket.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A read that takes longer, and has at least ``readBytesMin`` bytes, pauses its connection. A shorter read does
    /// not, because the processor may have been busy with something else.
    static let readShare = TimeAmount.microseconds(300)
    static let readBytesMin = 256
    /// A read is passed to the next handler in parts of this many bytes. The connection can be paused between two
    /// parts.
    static let readPartBytes = 4_096

    private var context: ChannelHandlerContext?
    /// Called once, when the connection is active and nothing has been read.
    var onActive: (() -> Void)?
    /// Called with a closure that closes the connection, when the peer's stream has ended. Only used for a channel that
    /// does not close itself at the end of the stream.
    var onInputClosed: ((_ close: @escaping () -> Void) -> Void)?
    /// Called with a closure that continues the connection after a long read, and with the time that the read took. Nil
    /// if a long read does not pause the connection.
    var onLongRead: ((_ cost: TimeAmount, _ resume: @escaping () -> Void) -> Void)?
    private var isPaused = false
    private var wantsReading = true
    /// Bytes that arrived while the connection was paused. The system delivers all remaining bytes when the stream
    /// ends, even to a paused connection.
    private var held = CircularBuffer<ByteBuffer>()
    private var hasInputClosed = false
    /// True if all writes of one turn of the loop are sent with one system call. This is always done for a listener's
    /// connections.
    var joinsWrites = false
    private var isFlushScheduled = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onActive = nil
        onInputClosed = nil
        onLongRead = nil
        held.removeAll()
    }

    // MARK: Reads

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard onLongRead != nil else { return context.fireChannelRead(data) }
        guard !isPaused else { return held.append(unwrapInboundIn(data)) }
        read(unwrapInboundIn(data), context)
    }

    private func read(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let start = NIODeadline.now()
        var rest = bytes
        var cost = TimeAmount.zero
        while cost <= Self.readShare, let part = rest.readSlice(length: min(rest.readableBytes, Self.readPartBytes)),
            part.readableBytes > 0
        {
            context.fireChannelRead(wrapInboundOut(part))
            // TLS delivers the decrypted bytes only now. The time that this takes is part of the cost.
            context.fireChannelReadComplete()
            guard self.context != nil else { return }
            cost = NIODeadline.now() - start
        }
        guard bytes.readableBytes >= Self.readBytesMin, cost > Self.readShare, let onLongRead else { return }
        if rest.readableBytes > 0 { held.prepend(rest) }
        isPaused = true
        applyReading()
        onLongRead(cost) { [weak self] in self?.resume() }
    }

    private func resume() {
        isPaused = false
        guard let context else { return }
        if let next = held.popFirst() {
            read(next, context)
            // The remaining bytes wait for the next turn, even if this part was short.
            guard !isPaused, self.context != nil else { return }
            if !held.isEmpty {
                isPaused = true
                onLongRead?(.zero) { [weak self] in self?.resume() }
                return
            }
        }
        applyReading()
        if hasInputClosed { closeInput() }
    }

    /// TLS requests a read if it needs more bytes. The request has no effect while the connection is paused.
    func read(context: ChannelHandlerContext) {
        if wantsReading, !isPaused { context.read() }
    }

    /// Called after the end of the stream, when all bytes before it were read. The channel closes then.
    private func closeInput() { onInputClosed?({ self.context?.close(promise: nil) }) }

    // MARK: Writes

    func flush(context: ChannelHandlerContext) {
        guard joinsWrites || onLongRead != nil, context.channel.isWritable else { return context.flush() }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.context?.flush()
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isFlushScheduled { context.flush() }
        context.close(mode: mode, promise: promise)
    }

    // MARK: Events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard onInputClosed != nil, event as? ChannelEvent == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        hasInputClosed = true
        if !isPaused { closeInput() }
    }

    func channelActive(context: ChannelHandlerContext) {
        onActive?()
        onActive = nil
        context.fireChannelActive()
    }

    /// Starts or stops reading from the peer. While reading is stopped, data waits in the buffers of the operating
    /// systems, and then in the peer. Data that was already read still arrives, at most one burst.
    func setReading(_ isReading: Bool) {
        wantsReading = isReading
        applyReading()
    }

    private func applyReading() {
        guard let context else { return }
        let isReading = wantsReading && !isPaused
        if let options = context.channel.syncOptions {
            try? options.setOption(.autoRead, value: isReading)
        } else {
            context.channel.setOption(.autoRead, value: isReading).whenComplete { _ in }
        }
    }

    /// Resets the connection: the peer receives a RST, and pending data is not sent.
    func abort() {
        guard let context else { return }
        if let options = context.channel as? any SocketOptionProvider {
            // On the loop, the option is set before the call returns. If it cannot be set, the connection is closed
            // without a reset.
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        context.close(mode: .all, promise: nil)
    }
}
