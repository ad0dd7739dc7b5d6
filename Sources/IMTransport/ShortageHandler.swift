import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Says why a listener takes nobody at the moment: once, until somebody has come in again. The handler before it in the
/// pipeline pauses for a second each time, so that a system that lacks something is not asked without end.
final class ShortageHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let tell: (String) -> Void
    private var hasTold = false

    init(_ tell: @escaping (String) -> Void) {
        self.tell = tell
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasTold = false
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, let what = Self.words(for: error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        guard !hasTold else { return }
        hasTold = true
        tell(what)
    }

    /// Nil for what is the matter of one connection only.
    static func words(for code: CInt) -> String? {
        switch code {
        case EMFILE: "this process is out of file descriptors (ulimit -n)"
        case ENFILE: "the system is out of file descriptors"
        case ENOBUFS, ENOMEM: "the system is out of memory for connections"
        default: nil
        }
    }
}
