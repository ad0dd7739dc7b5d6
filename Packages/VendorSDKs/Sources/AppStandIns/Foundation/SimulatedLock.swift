import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `NSLock` in virtual time: a wait lets the rest of the world continue.
open class SimulatedLock: NSLocking, @unchecked Sendable {
    private let origin: Origin
    private var isLocked = false
    public var name: String?

    public init(file: StaticString = #fileID, line: UInt = #line) {
        origin = Origin(file: file, line: line)
    }

    open func lock() {
        if isLocked {
            let scheduler = VirtualScheduler.required(for: "NSLock.lock")
            let wait = VirtualScheduler.Wait(for: "an NSLock created at \(origin)", ender: "unlock it")
            _ = scheduler.block(until: { !self.isLocked }, wait: wait)
        }
        isLocked = true
    }

    open func unlock() {
        if !isLocked { VirtualScheduler.current?.report(.misuse, "the NSLock created at \(origin) was not locked") }
        isLocked = false
    }

    open func `try`() -> Bool {
        guard !isLocked else { return false }
        isLocked = true
        return true
    }

    public func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
