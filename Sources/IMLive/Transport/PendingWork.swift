import NIOCore

/// Counts pending work outside a loop that will return to the loop, such as a name lookup or a hash on another thread.
/// The loop must not end earlier, because then the work could not return.
///
/// Confined to the loop.
public final class PendingWork {
    private let loop: any EventLoop
    private var count = 0
    private var waiting: [EventLoopPromise<Bool>] = []

    public init(on loop: any EventLoop) { self.loop = loop }

    public func begin() { count += 1 }

    public func end() {
        count -= 1
        guard count == 0 else { return }
        let promises = waiting
        waiting = []
        for promise in promises { promise.succeed(true) }
    }

    /// - Returns: true when no work is pending; false if some is pending after the time limit.
    public func none(within limit: TimeAmount) -> EventLoopFuture<Bool> {
        loop.preconditionInEventLoop()
        guard count > 0 else { return loop.makeSucceededFuture(true) }
        let promise = loop.makePromise(of: Bool.self)
        waiting.append(promise)
        let timeout = loop.assumeIsolated().scheduleTask(in: limit) { [self] in
            guard count > 0 else { return }
            waiting = []
            promise.succeed(false)
        }
        return promise.futureResult.always { _ in timeout.cancel() }
    }
}
