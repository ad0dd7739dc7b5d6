import Dispatch
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `DispatchSemaphore` in virtual time: a wait lets the rest of the world continue.
public final class SimulatedDispatchSemaphore: @unchecked Sendable {
    private let origin: Origin
    private var value: Int

    public init(value: Int, file: StaticString = #fileID, line: UInt = #line) {
        self.value = value
        origin = Origin(file: file, line: line)
    }

    /// - Returns: always zero, because waiters are not counted.
    @discardableResult
    public func signal() -> Int {
        VirtualScheduler.perform("DispatchSemaphore.signal") { _ in self.value += 1 }
        return 0
    }

    public func wait() {
        _ = wait(for: nil)
    }

    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(for: VirtualScheduler.required(for: "DispatchSemaphore.wait").delay(to: timeout))
    }

    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(for: VirtualScheduler.required(for: "DispatchSemaphore.wait").delay(to: wallTimeout))
    }

    private func wait(for length: UInt64?) -> DispatchTimeoutResult {
        let scheduler = VirtualScheduler.required(for: "DispatchSemaphore.wait")
        let wait = VirtualScheduler.Wait(for: "a DispatchSemaphore created at \(origin)", ender: "signal it")
        let timeout = length == .max ? nil : length
        let outcome = scheduler.block(until: { self.value > 0 }, timeout: timeout, wait: wait)
        guard outcome == .done else { return .timedOut }
        value -= 1
        return .success
    }
}
