import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `RunLoop` in virtual time: its timers and waits.
public final class SimulatedRunLoop: @unchecked Sendable {
    public typealias Mode = Foundation.RunLoop.Mode

    public static let main = SimulatedRunLoop(isMain: true)
    private static let other = SimulatedRunLoop(isMain: false)

    /// The run loop of the calling code's thread; only the main one runs.
    public static var current: SimulatedRunLoop {
        VirtualScheduler.required(for: "RunLoop.current").place == .main ? main : other
    }

    private let isMain: Bool

    private init(isMain: Bool) {
        self.isMain = isMain
    }

    public func add(_ timer: SimulatedTimer, forMode mode: Mode) {
        timer.schedule(isRunning: isMain)
    }

    @preconcurrency public func perform(
        file: StaticString = #fileID, line: UInt = #line, _ block: @escaping @Sendable () -> Void
    ) {
        let label = EntryLabel("a block of the run loop", origin: Origin(file: file, line: line))
        VirtualScheduler.perform("RunLoop.perform") {
            $0.enqueue(at: .main, isOrdered: false, label: label, block: block)
        }
    }

    /// Lets time pass up to a date. Unlike a real run loop, one that waits inside a block of the main thread runs
    /// nothing else of the main thread.
    public func run(until date: Date) {
        let scheduler = VirtualScheduler.required(for: "RunLoop.run")
        let time = scheduler.time(of: date)
        scheduler.sleep(time - scheduler.now)
    }

    @discardableResult
    public func run(mode: Mode, before date: Date) -> Bool {
        run(until: date)
        return true
    }
}
