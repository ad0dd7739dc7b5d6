import Dispatch
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `DispatchSourceTimer` in virtual time.
public protocol SimulatedDispatchSourceTimer: AnyObject {
    var isCancelled: Bool { get }
    func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
    func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval)
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
    func setEventHandler(handler: (@Sendable () -> Void)?)
    func setCancelHandler(handler: (@Sendable () -> Void)?)
    func resume()
    func activate()
    func suspend()
    func cancel()
}

extension SimulatedDispatchSourceTimer {
    public func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never) {
        schedule(deadline: deadline, repeating: interval, leeway: .nanoseconds(0))
    }

    public func schedule(deadline: DispatchTime, repeating interval: Double) {
        schedule(deadline: deadline, repeating: interval, leeway: .nanoseconds(0))
    }

    public func schedule(deadline: DispatchTime, leeway: DispatchTimeInterval) {
        schedule(deadline: deadline, repeating: .never, leeway: leeway)
    }

    public func schedule(wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: .nanoseconds(0))
    }

    @preconcurrency public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable () -> Void)?
    ) {
        setEventHandler(handler: handler)
    }
}

/// The double of `DispatchSource` in virtual time: only its timers. A simulated app has no files or signals.
public enum SimulatedDispatchSource {
    public typealias TimerFlags = Dispatch.DispatchSource.TimerFlags

    public static func makeTimerSource(
        flags: TimerFlags = [], queue: SimulatedDispatchQueue? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> any SimulatedDispatchSourceTimer {
        TimerSource(queue: queue ?? .global(), label: EntryLabel("a timer", origin: Origin(file: file, line: line)))
    }
}

/// A timer that enqueues its handler on a queue. There is no leeway: it fires when it is due.
private final class TimerSource: SimulatedDispatchSourceTimer, @unchecked Sendable {
    private let queue: SimulatedDispatchQueue
    private let label: EntryLabel
    private var handler: (@Sendable () -> Void)?
    private var cancelHandler: (@Sendable () -> Void)?
    private var interval: UInt64?
    /// In nanoseconds since the start of virtual time.
    private var nextDue: UInt64?
    private var isActive = false
    private var entry: Entry?
    private(set) var isCancelled = false

    init(queue: SimulatedDispatchQueue, label: EntryLabel) {
        self.queue = queue
        self.label = label
    }

    deinit {
        entry?.cancel()
    }

    func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval) {
        set(after: { $0.delay(to: deadline) }, interval: interval.wholeNanoseconds)
    }

    func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval) {
        set(after: { $0.delay(to: deadline) }, interval: interval.isInfinite ? nil : interval.secondsAsNanoseconds)
    }

    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval
    ) {
        set(after: { $0.delay(to: wallDeadline) }, interval: interval.wholeNanoseconds)
    }

    func setEventHandler(handler: (@Sendable () -> Void)?) {
        self.handler = handler
    }

    func setCancelHandler(handler: (@Sendable () -> Void)?) {
        cancelHandler = handler
    }

    func resume() {
        activate()
    }

    func activate() {
        isActive = true
        arm()
    }

    func suspend() {
        isActive = false
        entry?.cancel()
    }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        entry?.cancel()
        handler = nil
        if let cancelHandler { queue.async(execute: cancelHandler) }
    }

    private func set(after delay: (VirtualScheduler) -> UInt64, interval: UInt64?) {
        let scheduler = VirtualScheduler.required(for: "DispatchSourceTimer.schedule")
        let delay = delay(scheduler)
        nextDue = delay == .max ? nil : scheduler.now + delay
        // A repetition of zero would never let the clock move on.
        self.interval = interval.map { max($0, 1_000) }
        arm()
    }

    private func arm() {
        entry?.cancel()
        guard isActive, !isCancelled, let nextDue, let scheduler = VirtualScheduler.current else { return }
        let delay = nextDue > scheduler.now ? nextDue - scheduler.now : 0
        entry = scheduler.enqueue(after: delay, at: queue.place, isOrdered: queue.place != .anywhere, label: label) {
            [weak self] in self?.fire()
        }
    }

    private func fire() {
        nextDue = interval.flatMap { interval in nextDue.map { $0 + interval } }
        // Firings missed while the queue was busy count as one event.
        if let interval, let due = nextDue, let now = VirtualScheduler.current?.now, due <= now {
            nextDue = due + (now - due) / interval * interval + interval
        }
        arm()
        handler?()
    }
}
