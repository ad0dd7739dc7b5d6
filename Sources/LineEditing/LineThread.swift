import Foundation
import Synchronization

/// The dedicated thread for an editor's blocking calls, so that async code can wait for a line without blocking a
/// thread of the concurrency pool.
package final class LineThread: Sendable {
    package let editor: any LineEditor
    private let jobs: Jobs

    package init(_ editor: any LineEditor) {
        self.editor = editor
        let jobs = Jobs()
        self.jobs = jobs
        let thread = Thread { jobs.run() }
        thread.name = "line editor"
        thread.start()
    }

    deinit { jobs.finish() }

    package func readLine(prompt: Prompt) async throws -> LineResult {
        try await run { [editor] in try editor.readLine(prompt: prompt) }
    }

    package func readSecret(prompt: String) async throws -> String? {
        try await run { [editor] in try editor.readSecret(prompt: prompt) }
    }

    private func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            jobs.add { continuation.resume(with: Result(catching: work)) }
        }
    }

    /// The queue of blocking calls. `@unchecked Sendable`: `condition` guards `waiting` and `isFinished`.
    private final class Jobs: @unchecked Sendable {
        private let condition = NSCondition()
        private var waiting: [@Sendable () -> Void] = []
        private var isFinished = false

        func add(_ job: @escaping @Sendable () -> Void) {
            condition.withLock {
                waiting.append(job)
                condition.signal()
            }
        }

        func finish() {
            condition.withLock {
                isFinished = true
                condition.signal()
            }
        }

        func run() {
            while let job = next() {
                job()
            }
        }

        private func next() -> (@Sendable () -> Void)? {
            condition.withLock {
                while waiting.isEmpty {
                    if isFinished { return nil }
                    condition.wait()
                }
                return waiting.removeFirst()
            }
        }
    }
}
