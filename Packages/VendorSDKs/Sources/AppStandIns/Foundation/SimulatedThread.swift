import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `Thread` in virtual time: a block with a name.
public final class SimulatedThread: @unchecked Sendable {
    public static var isMainThread: Bool {
        VirtualScheduler.current.map { $0.place == .main } ?? Foundation.Thread.isMainThread
    }

    /// An object for the calling code's thread.
    public static var current: SimulatedThread { SimulatedThread(isMainThread: isMainThread, block: {}) }
    public static var callStackSymbols: [String] { Foundation.Thread.callStackSymbols }

    public static func sleep(forTimeInterval interval: TimeInterval) {
        VirtualScheduler.required(for: "Thread.sleep").sleep(interval.secondsAsNanoseconds)
    }

    public static func sleep(until date: Date) {
        let scheduler = VirtualScheduler.required(for: "Thread.sleep")
        scheduler.sleep(scheduler.time(of: date) - scheduler.now)
    }

    @preconcurrency public static func detachNewThread(_ block: @escaping @Sendable () -> Void) {
        SimulatedThread(block: block).start()
    }

    public let isMainThread: Bool
    public var name: String?
    public private(set) var isCancelled = false
    public private(set) var isExecuting = false
    public private(set) var isFinished = false
    private let block: @Sendable () -> Void

    @preconcurrency public convenience init(block: @escaping @Sendable () -> Void) {
        self.init(isMainThread: false, block: block)
    }

    private init(isMainThread: Bool, block: @escaping @Sendable () -> Void) {
        self.isMainThread = isMainThread
        self.block = block
    }

    public func start() {
        VirtualScheduler.perform("Thread.start") { scheduler in
            scheduler.enqueue(at: .anywhere, isOrdered: false, label: EntryLabel("a Thread")) {
                self.isExecuting = true
                self.block()
                self.isExecuting = false
                self.isFinished = true
            }
        }
    }

    public func cancel() {
        isCancelled = true
    }
}
