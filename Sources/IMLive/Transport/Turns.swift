import NIOCore

/// Work that peers can cause by the thousand in one moment, as the beginnings and ends of their connections. It is done
/// at once while there is little of it; else it waits in order, and a little is done between two looks at the sockets,
/// so that whoever only wants an answer need not wait for all of it.
///
/// A loop has one: what two did in turn would be due again and again without a look at the sockets in between. Confined
/// to its loop.
public final class Turns {
    /// So long it may take between two looks at the sockets.
    private static let share = TimeAmount.milliseconds(1)
    /// A loop runs all tasks that are due before it looks at its sockets again: the next turn is due a little later,
    /// counted from when what the turn itself leaves to the loop is done.
    private static let pause = TimeAmount.microseconds(100)

    private let loop: any EventLoop
    private let now: () -> NIODeadline
    private var waiting: [(cost: TimeAmount, work: () -> Void)] = []
    private var head = 0
    private var spent = TimeAmount.zero
    private var spentSince = NIODeadline.uptimeNanoseconds(0)
    private var isScheduled = false

    public convenience init(on loop: any EventLoop) { self.init(on: loop, now: NIODeadline.now) }

    /// - Parameter now: what the time that work takes is measured by.
    package init(on loop: any EventLoop, now: @escaping () -> NIODeadline) {
        self.loop = loop
        self.now = now
    }

    /// Another queue of the same loop, for work that is short whatever its cost counts.
    func onSameLoop() -> Turns { Turns(on: loop, now: now) }

    /// Does the work now, or when those before it have had their turn.
    ///
    /// - Parameter cost: how long what it brings about later takes, which counts as if it took so long itself.
    public func take(costing cost: TimeAmount = .zero, _ work: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        let begun = now()
        if begun - spentSince > Self.share + Self.share { (spent, spentSince) = (.zero, begun) }
        guard !isScheduled, spent < Self.share else { return wait(costing: cost, work) }
        spent = spent + cost
        work()
        spent = spent + (now() - begun)
    }

    /// Does the work after everything that waits, and never at once.
    ///
    /// - Parameter cost: as of ``take(costing:_:)``.
    public func wait(costing cost: TimeAmount = .zero, _ work: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        waiting.append((cost, work))
        if !isScheduled { goOn() }
        isScheduled = true
    }

    private func goOn() {
        let loop = loop.assumeIsolated()
        loop.execute { loop.scheduleTask(in: Self.pause) { self.turn() } }
    }

    private func turn() {
        var end = now() + Self.share
        repeat {
            let (cost, work) = waiting[head]
            waiting[head] = (.zero, {})
            head += 1
            work()
            end = end - cost
        } while head < waiting.count && now() < end
        // By halves, so that what is moved up has been paid for by what came.
        if 2 * head >= waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        if head < waiting.count { goOn() } else { isScheduled = false }
    }
}
