import CVirtualTime
import Testing
@_spi(ExperimentalCustomExecutors) import _Concurrency

@testable import VirtualTime

/// The C part: the clocks and the layout of the runtime's jobs.
@Suite struct ReplacementTests {
    @Test @MainActor func theClocksOfTheJobThreadAreReplaced() {
        #expect(JobLoop.obstacle == nil)
        let before = vt_real_monotonic()
        #expect(vt_clocks_are_virtual())
        #expect(!vt_is_active())
        #expect(vt_real_monotonic() >= before)
    }

    /// `vt_job_is_task` reads the job's memory, because runtimes before Swift 6.3 have no other way.
    @Test func theKindOfAJobIsReadFromItsMemory() async {
        let executor = KindExecutor()
        let busy = BusyActor()
        await Task(executorPreference: executor) { await busy.startTask(on: executor).value }.value
        #expect(Set(executor.kinds.map(\.expected)) == [false, true])
        for kind in executor.kinds { #expect(kind.expected == kind.read) }
    }
}

/// Passes each job on, and notes its kind. All of it runs on the job thread, so it is Sendable.
private final class KindExecutor: TaskExecutor, @unchecked Sendable {
    private(set) var kinds: [(expected: Bool, read: Bool)] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        kinds.append((isTask, vt_job_is_task(unsafeBitCast(job, to: UnsafeRawPointer.self))))
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Its task waits until it is free, and a job of the runtime makes it continue.
private actor BusyActor {
    func startTask(on executor: KindExecutor) -> Task<Void, Never> {
        Task(executorPreference: executor) { await self.work() }
    }

    private func work() {}
}
