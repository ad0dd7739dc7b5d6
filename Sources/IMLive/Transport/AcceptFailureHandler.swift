import Foundation
import NIOCore

/// Reports why a listener accepts no connections: once, until one has been accepted again. Each time it stops reading
/// for a second. If a read were only not requested again, it would stay pending, and the system would report the
/// waiting client endlessly.
final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let tell: (String) -> Void
    private var hasReported = false
    private var isPaused = false
    private static let pause = TimeAmount.seconds(1)

    init(_ tell: @escaping (String) -> Void) {
        self.tell = tell
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReported = false
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, let what = Self.words(for: error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context.channel)
        guard !hasReported else { return }
        hasReported = true
        tell(what)
    }

    private func pause(_ channel: any Channel) {
        guard !isPaused else { return }
        isPaused = true
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in
            self?.isPaused = false
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    /// Nil for an error of a single connection.
    static func words(for code: CInt) -> String? {
        switch code {
        case EMFILE: "this process is out of file descriptors (ulimit -n)"
        case ENFILE: "the system is out of file descriptors"
        case ENOBUFS, ENOMEM: "the system is out of memory for connections"
        default: nil
        }
    }
}
