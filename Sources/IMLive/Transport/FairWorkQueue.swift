import NIOCore

/// A queue for work that peers can cause in large amounts at once, such as starts and ends of their connections. A
/// small amount of work runs immediately. The rest waits in order, and runs in small parts between two polls of the
/// sockets, so that other connections are served in the meantime.
///
/// A loop has one queue. Two queues would alternate without a poll of the sockets between them. Confined to its loop.
public final class FairWorkQueue {
    /// The maximum time of work between two polls of the sockets.
    private static let share = TimeAmount.milliseconds(1)
    /// The delay before the queue continues. A loop runs all due tasks before it polls its sockets, so a delay of zero
    /// would leave no time for a poll.
    private static let pause = TimeAmount.microseconds(100)

    private let loop: any EventLoop
    private let now: () -> NIODeadline
    private var waiting = CircularBuffer<(cost: TimeAmount, work: () -> Void)>()
    private var spent = TimeAmount.zero
    private var spentSince = NIODeadline.uptimeNanoseconds(0)
    private var isScheduled = false

    public convenience init(on loop: any EventLoop) { self.init(on: loop, now: NIODeadline.now) }

    /// - Parameter now: the clock that measures the time of work.
    package init(on loop: any EventLoop, now: @escaping () -> NIODeadline) {
        self.loop = loop
        self.now = now
    }

    /// A second queue on the loop, only for work that is short itself. The cost of such work is the time of later work.
    func onSameLoop() -> FairWorkQueue { FairWorkQueue(on: loop, now: now) }

    /// Runs the work immediately, or after the work that already waits.
    ///
    /// - Parameter cost: the time of later work that this work causes. It counts as time of this work.
    public func take(costing cost: TimeAmount = .zero, _ work: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        let start = now()
        if start - spentSince > Self.share + Self.share { (spent, spentSince) = (.zero, start) }
        guard !isScheduled, spent < Self.share else { return wait(costing: cost, work) }
        spent = spent + cost
        work()
        spent = spent + (now() - start)
    }

    /// Runs the work after all work that waits, and never immediately.
    ///
    /// - Parameter cost: the time of later work that this work causes.
    public func wait(costing cost: TimeAmount = .zero, _ work: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        waiting.append((cost, work))
        if !isScheduled { scheduleTurn() }
        isScheduled = true
    }

    private func scheduleTurn() {
        let loop = loop.assumeIsolated()
        loop.execute { loop.scheduleTask(in: Self.pause) { self.turn() } }
    }

    private func turn() {
        var end = now() + Self.share
        repeat {
            guard let (cost, work) = waiting.popFirst() else { break }
            work()
            end = end - cost
        } while !waiting.isEmpty && now() < end
        if waiting.isEmpty { isScheduled = false } else { scheduleTurn() }
    }
}
