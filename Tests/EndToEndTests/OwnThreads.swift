import Foundation
import Testing

/// Runs the tests of a suite on threads of their own, several at once.
///
/// What drives a program or a terminal blocks its thread and mostly waits. The threads that all tasks share are as few
/// as the processors; on them such tests would stand in a queue behind each other's waiting.
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

/// A fixed number of threads that take jobs in the order in which they came.
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
