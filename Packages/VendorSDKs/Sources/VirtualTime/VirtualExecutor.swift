// The only file that uses experimental interfaces of the standard library. They exist from Swift 6.3. If one moves or
// is removed, only this file fails to compile.
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

#if compiler(<6.3)
    #error("Virtual time needs the custom main and global executors of Swift 6.3")
#endif

/// Executes the main actor, or everything else, by passing each job to the one loop on the main thread.
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

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
        enqueue(job, after: Self.nanoseconds(delay, of: clock))
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
        // The clock is virtual on the job thread, so nothing is lost between its two readings.
        enqueue(job, after: Self.nanoseconds(clock.now.duration(to: instant), of: clock))
    }

    func run(_ job: UnownedJob) {
        if isMain {
            job.runSynchronously(on: asUnownedSerialExecutor())
        } else {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
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
        let unowned = UnownedJob(job)
        let task = isTask ? taskID(of: unowned) : nil
        JobLoop.shared.enqueue(SubmittedJob(job: unowned, task: task, executor: self, delay: delay))
    }

    private static func nanoseconds<C: Clock>(_ delay: C.Duration, of clock: C) -> UInt64 {
        // Both clocks of the standard library use its Duration. Another clock's unit is unknown: the job then waits for
        // no time, and this is reported.
        if let delay = delay as? Duration { return delay.wholeNanoseconds }
        JobLoop.shared.world?.report(.escapeToClock, "a task sleeps by \(C.self), whose unit is not known")
        return 0
    }
}

/// Installs the executors. The C target calls it before `main`, because it is too late after the first job.
@_cdecl("vt_install_executors")
func installExecutors() {
    JobLoop.isInstalled = true
    // Reads the first values of the app's variables.
    _ = ProcessGlobals.shared
    _createExecutors(factory: VirtualExecutorFactory.self)
}

private struct VirtualExecutorFactory: ExecutorFactory {
    static var mainExecutor: any MainExecutor { VirtualExecutor.main }
    static var defaultExecutor: any TaskExecutor { VirtualExecutor.global }
}

/// The number of the task that the job belongs to. It is unique in a program.
@_silgen_name("swift_task_getJobTaskId")
private func taskID(of job: UnownedJob) -> UInt64
