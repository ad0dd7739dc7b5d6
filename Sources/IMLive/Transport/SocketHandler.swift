import Foundation
import NIOCore

/// The bottom of every pipeline: it can reset the connection below TLS and all buffers.
///
/// It also gives a listener's connections fair shares. A long read pauses its connection until the others have had
/// their turn, and the answers to one read leave in one write to the socket.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A read that takes longer, and has at least ``readBytesMin`` bytes, pauses its connection. A single message never
    /// does, because the processor may have been busy with something else.
    static let readShare = TimeAmount.microseconds(300)
    static let readBytesMin = 256
    /// A read is passed on in parts of this many bytes, and can be paused between two of them.
    static let readPartBytes = 4_096

    private var context: ChannelHandlerContext?
    /// Called once, when the connection is active and nothing has been read.
    var onActive: (() -> Void)?
    /// Called when the peer's stream has ended and the connection is still open, with a closure that closes it. Only
    /// for a channel that leaves that to its handlers.
    var onInputClosed: ((_ close: @escaping () -> Void) -> Void)?
    /// Queues the continuation of a connection after a long read, with the time that the read took. Nil if every read
    /// continues at once.
    var onLongRead: ((_ cost: TimeAmount, _ resume: @escaping () -> Void) -> Void)?
    private var isPaused = false
    private var wantsReading = true
    /// Bytes that were read while the connection was paused: the system delivers everything when the stream ends.
    private var held = CircularBuffer<ByteBuffer>()
    private var hasInputClosed = false
    /// All writes of one turn of the loop leave with one system call. A listener's connections always do so.
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
            // TLS passes on what it has decrypted only now, and the time for that counts.
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
            // The rest waits for its turn, also where this part was short.
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

    /// TLS requests a read if the bytes so far were not enough for it. A connection that is paused stays so.
    func read(context: ChannelHandlerContext) {
        if wantsReading, !isPaused { context.read() }
    }

    /// After the end of the stream: the channel closes when everything before it was read.
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

    /// Starts or stops reading from the peer. Unread data stays with the operating systems, and finally with the peer.
    /// Data that was already read still arrives, at most one burst.
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
            // On the loop, the option is set before the call returns. If it cannot be set, a plain close is the
            // second-best solution.
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        context.close(mode: .all, promise: nil)
    }
}
