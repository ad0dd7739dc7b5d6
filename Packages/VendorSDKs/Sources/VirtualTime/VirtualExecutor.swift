// The only file that uses experimental interfaces of the standard library. They exist from Swift 6.3. If one moves or is
// removed, only this file fails to compile. Xcode's SDKs leave them out; a toolchain of swift.org for Apple's systems has
// them, and the systems from version 26.4.
#if !canImport(Darwin) || EXECUTOR_SPI

    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// Executes the main actor, or everything else, by passing each job to the one loop on the main thread. Sendable,
    /// because its state is constant: the loop has a lock of its own.
    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    final class VirtualExecutor: TaskExecutor, SerialExecutor, MainExecutor, SchedulingExecutor, @unchecked Sendable {
        static let main = VirtualExecutor(isMain: true)
        static let global = VirtualExecutor(isMain: false)

        let isMain: Bool

        private init(isMain: Bool) {
            self.isMain = isMain
        }

        func run() throws {
            JobLoop.shared.run(until: { false })
        }

        func runUntil(_ condition: () -> Bool) throws {
            JobLoop.shared.run(until: condition)
        }

        func stop() {
            JobLoop.shared.stop()
        }

        func enqueue(_ job: consuming ExecutorJob) {
            enqueue(job, after: 0)
        }

        func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C)
        {
            enqueue(job, after: Self.nanoseconds(delay, of: clock))
        }

        func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
            // The clock is virtual on the job thread, so nothing is lost between its two readings.
            enqueue(job, after: Self.nanoseconds(clock.now.duration(to: instant), of: clock))
        }

        static func install() {
            JobLoop.runJob = { job, isMain in
                if isMain {
                    job.runSynchronously(on: main.asUnownedSerialExecutor())
                } else {
                    job.runSynchronously(on: global.asUnownedTaskExecutor())
                }
            }
            _createExecutors(factory: VirtualExecutorFactory.self)
        }

        /// Called if the runtime has no current executor, such as in a block of a queue.
        func isIsolatingCurrentContext() -> Bool? {
            isMain && JobLoop.shared.isOnMain
        }

        func checkIsolated() {
            precondition(isMain && JobLoop.shared.isOnMain, "Not on the main thread, as this code claims to be")
        }

        private func enqueue(_ job: consuming ExecutorJob, after delay: UInt64) {
            let isTask = job.kind == .task
            JobLoop.shared.enqueue(SubmittedJob(job: UnownedJob(job), isTask: isTask, isMain: isMain, delay: delay))
        }

        private static func nanoseconds<C: Clock>(_ delay: C.Duration, of clock: C) -> UInt64 {
            // Both clocks of the standard library use its Duration. Another clock's unit is unknown: the job then waits for
            // no time, and this is reported.
            if let delay = delay as? Duration { return delay.wholeNanoseconds }
            JobLoop.shared.world?.report(.escapeToClock, "a task sleeps by \(C.self), whose unit is not known")
            return 0
        }
    }

    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    private struct VirtualExecutorFactory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { VirtualExecutor.main }
        static var defaultExecutor: any TaskExecutor { VirtualExecutor.global }
    }

#endif
