import Foundation
import IMProtocol
import NIOCore
import NIOPosix
import SansIO

/// The clients of a load, on their own event loop.
final class LoadRun: Sendable {
    private let request: LoadRequest
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(_ request: LoadRequest) {
        self.request = request
    }

    /// Runs the whole load, and closes its connections.
    ///
    /// - Parameter progress: receives the results so far, each second.
    func run(progress: (LoadReport, Double) -> Void) throws -> LoadReport {
        let (loop, request) = (group.next(), request)
        let clients = try loop.submit { NIOLoopBound(LoadClients(request, on: loop), eventLoop: loop) }.wait()
        let end = try loop.submit { clients.value.start() }.wait()
        let start = ContinuousClock.now
        let isOver = DispatchSemaphore(value: 0)
        end.whenComplete { _ in isOver.signal() }
        while isOver.wait(timeout: .now() + 1) == .timedOut {
            let report = try loop.submit { clients.value.report }.wait()
            progress(report, (ContinuousClock.now - start).inSeconds)
        }
        let report = try loop.submit { clients.value.report }.wait()
        try loop.flatSubmit { clients.value.close() }.wait()
        try group.syncShutdownGracefully()
        return report
    }
}
