import Foundation
import NIOCore

/// Reports why a listener cannot accept connections. After a report, it reports again only if a connection was accepted
/// in the meantime. After each failure, it stops reading for a second. Otherwise the system would report the waiting
/// client endlessly.
final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let report: (String) -> Void
    private var hasReported = false
    private var isPaused = false
    private static let pause = TimeAmount.seconds(1)

    init(_ report: @escaping (String) -> Void) {
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReported = false
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, let reason = Self.reason(for: error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context.channel)
        guard !hasReported else { return }
        hasReported = true
        report(reason)
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

    /// The reason for an error of the system; nil for an error of a single connection.
    static func reason(for code: CInt) -> String? {
        switch code {
        case EMFILE: "this process is out of file descriptors (ulimit -n)"
        case ENFILE: "the system is out of file descriptors"
        case ENOBUFS, ENOMEM: "the system is out of memory for connections"
        default: nil
        }
    }
}
