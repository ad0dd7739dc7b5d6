import Dispatch
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `DispatchGroup` in virtual time.
public final class SimulatedDispatchGroup: @unchecked Sendable {
    private let origin: Origin
    private var count = 0
    private var notifications: [() -> Void] = []

    public init(file: StaticString = #fileID, line: UInt = #line) {
        origin = Origin(file: file, line: line)
    }

    public func enter() {
        VirtualScheduler.perform("DispatchGroup.enter") { _ in self.count += 1 }
    }

    public func leave() {
        VirtualScheduler.perform("DispatchGroup.leave") { scheduler in
            guard self.count > 0 else {
                return scheduler.report(.misuse, "the DispatchGroup created at \(self.origin) was left once too often")
            }
            self.count -= 1
            if self.count == 0 { self.notifyAll() }
        }
    }

    @preconcurrency public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: SimulatedDispatchQueue,
        file: StaticString = #fileID, line: UInt = #line, execute work: @escaping @Sendable () -> Void
    ) {
        whenEmpty { queue.async(qos: qos, flags: flags, file: file, line: line, execute: work) }
    }

    public func notify(queue: SimulatedDispatchQueue, work workItem: SimulatedDispatchWorkItem) {
        whenEmpty { queue.async(execute: workItem) }
    }

    public func wait() {
        _ = wait(for: nil)
    }

    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(for: VirtualScheduler.required(for: "DispatchGroup.wait").delay(to: timeout))
    }

    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(for: VirtualScheduler.required(for: "DispatchGroup.wait").delay(to: wallTimeout))
    }

    private func wait(for length: UInt64?) -> DispatchTimeoutResult {
        let scheduler = VirtualScheduler.required(for: "DispatchGroup.wait")
        let wait = VirtualScheduler.Wait(for: "a DispatchGroup created at \(origin)", ender: "leave it")
        let timeout = length == .max ? nil : length
        return scheduler.block(until: { self.count == 0 }, timeout: timeout, wait: wait) == .done ? .success : .timedOut
    }

    private func whenEmpty(_ notification: @escaping () -> Void) {
        if count == 0 { notification() } else { notifications.append(notification) }
    }

    private func notifyAll() {
        let due = notifications
        notifications = []
        for notification in due { notification() }
    }
}
