import NIOCore

/// Work that peers can cause by the thousand in one moment, as the ends of their connections. It is done at once while there
/// is little of it; else it waits in order, and a little is done between two looks at the sockets, so that whoever only
/// wants an answer need not wait for all of it.
///
/// Confined to its loop.
public final class Turns {
    /// So long it may take between two looks at the sockets.
    private static let share = TimeAmount.milliseconds(1)
    /// A loop runs all tasks that are due before it looks at its sockets again: the next turn is due a little later.
    private static let pause = TimeAmount.microseconds(100)

    private let loop: any EventLoop
    private var waiting: [() -> Void] = []
    private var head = 0
    private var spent = TimeAmount.zero
    private var spentSince = NIODeadline.uptimeNanoseconds(0)
    private var isScheduled = false

    public init(on loop: any EventLoop) { self.loop = loop }

    /// Does the work now, or when those before it have had their turn.
    public func take(_ work: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        let now = NIODeadline.now()
        if now - spentSince > Self.share + Self.share { (spent, spentSince) = (.zero, now) }
        guard !isScheduled, spent < Self.share else {
            waiting.append(work)
            return schedule()
        }
        work()
        spent = spent + (NIODeadline.now() - now)
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.assumeIsolated().scheduleTask(in: Self.pause) { self.turn() }
    }

    private func turn() {
        let end = NIODeadline.now() + Self.share
        repeat {
            let work = waiting[head]
            waiting[head] = {}
            head += 1
            work()
        } while head < waiting.count && NIODeadline.now() < end
        // By halves, so that what is moved up has been paid for by what came.
        if 2 * head >= waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        isScheduled = false
        if head < waiting.count { schedule() }
    }
}
