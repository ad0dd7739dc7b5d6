import Dispatch
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `DispatchWorkItem` in virtual time.
public final class SimulatedDispatchWorkItem: @unchecked Sendable {
    let flags: DispatchWorkItemFlags
    private let block: () -> Void
    private let origin: Origin
    private var hasRun = false
    private var notifications: [() -> Void] = []

    public private(set) var isCancelled = false

    @preconcurrency public init(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], file: StaticString = #fileID,
        line: UInt = #line, block: @escaping @Sendable () -> Void
    ) {
        self.flags = flags
        self.block = block
        origin = Origin(file: file, line: line)
    }

    public func perform() {
        if !isCancelled { block() }
        hasRun = true
        let due = notifications
        notifications = []
        for notification in due { notification() }
    }

    public func cancel() {
        isCancelled = true
    }

    @preconcurrency public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: SimulatedDispatchQueue,
        execute work: @escaping @Sendable () -> Void
    ) {
        whenDone { queue.async(qos: qos, flags: flags, execute: work) }
    }

    public func notify(queue: SimulatedDispatchQueue, execute workItem: SimulatedDispatchWorkItem) {
        whenDone { queue.async(execute: workItem) }
    }

    public func wait() {
        _ = wait(for: nil)
    }

    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(for: VirtualScheduler.required(for: "DispatchWorkItem.wait").delay(to: timeout))
    }

    private func wait(for length: UInt64?) -> DispatchTimeoutResult {
        let scheduler = VirtualScheduler.required(for: "DispatchWorkItem.wait")
        let wait = VirtualScheduler.Wait(for: "a DispatchWorkItem created at \(origin)", ender: "run it")
        let timeout = length == .max ? nil : length
        return scheduler.block(until: { self.hasRun }, timeout: timeout, wait: wait) == .done ? .success : .timedOut
    }

    private func whenDone(_ notification: @escaping () -> Void) {
        if hasRun { notification() } else { notifications.append(notification) }
    }
}
