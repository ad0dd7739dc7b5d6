import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `Timer` in virtual time. It fires on the simulated main run loop.
open class SimulatedTimer: @unchecked Sendable {
    public let timeInterval: TimeInterval
    public let userInfo: Any?
    /// Without effect: a timer fires when it is due.
    open var tolerance: TimeInterval = 0
    public private(set) var isValid = true

    private let repeats: Bool
    private let block: (SimulatedTimer) -> Void
    private let label: EntryLabel
    /// In nanoseconds since the start of virtual time.
    private var nextDue: UInt64
    private var isScheduled = false
    private var entry: Entry?

    @preconcurrency public init(
        fire date: Date, interval: TimeInterval, repeats: Bool, file: StaticString = #fileID, line: UInt = #line,
        block: @escaping @Sendable (SimulatedTimer) -> Void
    ) {
        timeInterval = repeats ? max(interval, 0.0001) : 0
        userInfo = nil
        self.repeats = repeats
        self.block = block
        label = EntryLabel("a Timer", origin: Origin(file: file, line: line))
        nextDue = VirtualScheduler.required(for: "Timer").time(of: date)
    }

    @preconcurrency public convenience init(
        timeInterval interval: TimeInterval, repeats: Bool, file: StaticString = #fileID, line: UInt = #line,
        block: @escaping @Sendable (SimulatedTimer) -> Void
    ) {
        self.init(
            fire: VirtualScheduler.required(for: "Timer").date.addingTimeInterval(max(interval, 0.0001)),
            interval: interval, repeats: repeats, file: file, line: line, block: block)
    }

    @preconcurrency @discardableResult
    public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, file: StaticString = #fileID, line: UInt = #line,
        block: @escaping @Sendable (SimulatedTimer) -> Void
    ) -> SimulatedTimer {
        let timer = SimulatedTimer(timeInterval: interval, repeats: repeats, file: file, line: line, block: block)
        SimulatedRunLoop.current.add(timer, forMode: .default)
        return timer
    }

    open var fireDate: Date {
        get { VirtualScheduler.required(for: "Timer").date(at: nextDue) }
        set {
            nextDue = VirtualScheduler.required(for: "Timer").time(of: newValue)
            if isScheduled { arm() }
        }
    }

    open func fire() {
        guard isValid else { return }
        if !repeats { invalidate() }
        block(self)
    }

    open func invalidate() {
        isValid = false
        entry?.cancel()
        entry = nil
    }

    /// Scheduled by a run loop, which retains it until it is invalid.
    func schedule(isRunning: Bool) {
        guard isValid, !isScheduled else { return }
        guard isRunning else {
            VirtualScheduler.current?.report(
                .timerWithoutRunLoop,
                "\(label) was scheduled on a thread whose run loop does not run, and never fires; schedule it on main")
            return
        }
        isScheduled = true
        arm()
    }

    private func arm() {
        entry?.cancel()
        guard isValid, let scheduler = VirtualScheduler.current else { return }
        let delay = nextDue > scheduler.now ? nextDue - scheduler.now : 0
        entry = scheduler.enqueue(after: delay, at: .main, isOrdered: false, label: label) { self.comeDue() }
    }

    private func comeDue() {
        guard isValid else { return }
        if repeats {
            // Firings missed while the main thread was busy are left out, as in a run loop.
            let interval = timeInterval.secondsAsNanoseconds
            let now = VirtualScheduler.current?.now ?? nextDue
            nextDue += ((now - min(nextDue, now)) / interval + 1) * interval
            arm()
        }
        fire()
    }
}

extension VirtualScheduler {
    /// The current date of the wall clock.
    public var date: Date { date(at: now) }

    func date(at time: UInt64) -> Date {
        Date(timeIntervalSince1970: Double(wallStart) / 1e9 + Double(time) / 1e9)
    }

    /// A date as a time since the start; not before now.
    func time(of date: Date) -> UInt64 {
        let distance = date.timeIntervalSince1970 - Double(wallStart) / 1e9
        guard distance < 1e9 else { return .max }
        // A date's precision is some hundred nanoseconds; timers of one interval must stay due together.
        return max(now, (distance.secondsAsNanoseconds + 500) / 1_000 * 1_000)
    }
}
