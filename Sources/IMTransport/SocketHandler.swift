import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The bottom of every pipeline: it can cut the connection off below TLS and all buffers.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var context: ChannelHandlerContext?
    /// Is called once, when the connection is there and nothing of it has been read.
    var onActive: (() -> Void)?
    /// Is called when the peer's stream has ended and the connection is still there, with what closes it. Only for a
    /// channel that leaves that to its handlers.
    var onInputClosed: ((_ close: @escaping () -> Void) -> Void)?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onActive = nil
        onInputClosed = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let onInputClosed, event as? ChannelEvent == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        onInputClosed { self.context?.close(promise: nil) }
    }

    func channelActive(context: ChannelHandlerContext) {
        onActive?()
        onActive = nil
        context.fireChannelActive()
    }

    /// Whether what the peer sends is read. While it is not, it stays with the operating systems, and in the end with
    /// the peer; what had been read already still arrives, at most one burst.
    func setReading(_ isReading: Bool) {
        guard let context else { return }
        if let options = context.channel.syncOptions {
            try? options.setOption(.autoRead, value: isReading)
        } else {
            context.channel.setOption(.autoRead, value: isReading).whenComplete { _ in }
        }
    }

    /// Resets the connection: the peer gets a RST, nothing that waits is sent.
    func abort() {
        guard let context else { return }
        if let options = context.channel as? any SocketOptionProvider {
            // On the loop the option is set before the call returns; if it cannot be, a plain close is the next best.
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        context.close(mode: .all, promise: nil)
    }
}
