import NIOCore

/// What is under way elsewhere, in a resolver or on a thread that computes, and will come back to a loop: a loop that
/// ended before would be asked to run something that nobody runs.
///
/// Confined to the loop.
public final class Outstanding {
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

    /// - Returns: true as soon as nothing is under way any more; false when that takes too long.
    public func none(within limit: TimeAmount) -> EventLoopFuture<Bool> {
        loop.preconditionInEventLoop()
        guard count > 0 else { return loop.makeSucceededFuture(true) }
        let promise = loop.makePromise(of: Bool.self)
        waiting.append(promise)
        let alarm = loop.assumeIsolated().scheduleTask(in: limit) { [self] in
            guard count > 0 else { return }
            waiting = []
            promise.succeed(false)
        }
        return promise.futureResult.always { _ in alarm.cancel() }
    }
}
