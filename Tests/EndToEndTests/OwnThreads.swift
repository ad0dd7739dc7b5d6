import Foundation
import Testing

/// Runs the tests of a suite on separate threads, several at once.
///
/// Code that drives a program or a terminal blocks its thread and mostly waits. The threads that tasks share are as few
/// as the processors, so such tests would delay each other there.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPool.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    static var onOwnThreads: Self { Self() }
}

/// A fixed number of threads that run jobs in the order in which they were added.
private final class ThreadPool: TaskExecutor {
    static let shared = ThreadPool(threads: 6)

    private let condition = NSCondition()
    nonisolated(unsafe) private var jobs: [UnownedJob] = []

    init(threads: Int) {
        for _ in 0..<threads { Thread.detachNewThread { self.work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock { jobs.append(job) }
        condition.signal()
    }

    private func work() -> Never {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
