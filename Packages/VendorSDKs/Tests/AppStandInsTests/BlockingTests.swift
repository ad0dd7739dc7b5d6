import AppStandIns
import Dispatch
import Foundation
import Testing
import VirtualTime

@Suite struct BlockingTests {
    @Test func theWorldContinuesDuringAWait() async throws {
        try await withVirtualTime { time in
            let semaphore = SimulatedDispatchSemaphore(value: 0)
            Task.detached {
                try await Task.sleep(for: .seconds(1))
                semaphore.signal()
            }
            #expect(waitInCode(semaphore, seconds: 5) == .success)
            #expect(time.now == 1_000_000_000)
            #expect(waitInCode(semaphore, seconds: 2) == .timedOut)
            #expect(time.now == 3_000_000_000)
            #expect(time.findings.map(\.kind) == [.mainThreadBlocked, .mainThreadBlocked])
            #expect(time.findings.first?.text.hasPrefix("the main thread stood still for 1000 ms, for a Disp") == true)
        }
    }

    @Test func aWaitForTheMainQueueOnTheMainQueueIsADeadlock() async throws {
        try await withVirtualTime { time in
            let process = time.makeProcess()
            let log = Log()
            time.run(in: process) {
                let semaphore = SimulatedDispatchSemaphore(value: 0, file: "App.swift", line: 12)
                SimulatedDispatchQueue.main.async(file: "App.swift", line: 13) { semaphore.signal() }
                SimulatedDispatchQueue.global().asyncAfter(deadline: .now() + 1) {
                    log.add("while it hangs")
                    SimulatedDispatchQueue.main.async(file: "App.swift", line: 20) { log.add("after it hangs") }
                }
                semaphore.wait()
                #expect(semaphore.wait(timeout: .now() + 1) == .timedOut)
            }
            let words = """
                the main thread waits for a DispatchSemaphore created at App.swift:12; what would signal it is queued \
                behind it: a block of the queue "com.apple.main-thread" (App.swift:13), \
                a block of the queue "com.apple.main-thread" (App.swift:20)
                """
            #expect(time.findings.map(\.text) == [words])
            #expect(time.findings.first?.kind == .deadlock)
            #expect(time.findings.first?.process == process)
            #expect(time.hasEnded(process))
            await time.run(for: .seconds(5))
            #expect(log.words == ["while it hangs"])
        }
    }

    @Test func aWaitWithoutASignallerIsADeadlockAtOnce() async throws {
        try await withVirtualTime { time in
            waitForEver(SimulatedDispatchSemaphore(value: 0))
            #expect(time.now == 0)
            #expect(time.findings.first?.text.hasSuffix("nothing is left that could signal it") == true)
        }
    }

    @Test func aWaitDuringEndlessWorkIsADeadlockAfterTheLimit() async throws {
        try await withVirtualTime { time in
            let timer = SimulatedDispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now(), repeating: 1)
            timer.setEventHandler {}
            timer.resume()
            waitForEver(SimulatedDispatchSemaphore(value: 0))
            #expect(time.now == 60_000_000_000)
            #expect(time.findings.map(\.kind) == [.deadlock])
            timer.cancel()
        }
    }

    @Test func syncOnTheOwnQueueIsADeadlock() async throws {
        try await withVirtualTime { time in
            let queue = SimulatedDispatchQueue(label: "own")
            queue.async { queue.sync {} }
            await time.runDueEntries()
            SimulatedDispatchQueue.main.sync {}
            #expect(time.findings.map(\.kind) == [.deadlock, .deadlock])
            #expect(time.findings[0].text.hasPrefix("the queue \"own\" waits for DispatchQueue.sync"))
        }
    }

    @Test func aThreadThatIsBlockedAtTheEndIsReportedAndUnwindsWithoutEffect() async throws {
        var report: Report?
        let log = Log()
        try await withVirtualTime(report: { report = $0 }) { time in
            let semaphore = SimulatedDispatchSemaphore(value: 0, file: "App.swift", line: 3)
            SimulatedDispatchQueue(label: "queue").async {
                semaphore.wait()
                SimulatedDispatchQueue.main.async { log.add("block") }
                Task { log.add("task") }
                semaphore.wait()
            }
            await time.runDueEntries()
        }
        #expect(
            report?.pending.map(\.label) == [
                "the queue \"queue\", blocked by a DispatchSemaphore created at App.swift:3"
            ])
        try await withVirtualTime { time in await time.run(for: .seconds(1)) }
        await Task.yield()
        #expect(log.words.isEmpty)
    }

    @Test func mainActorJobsDoNotRunWhileTheMainThreadIsBlocked() async throws {
        try await withVirtualTime { time in
            let log = Log()
            Task { @MainActor in log.add("main actor") }
            Task.detached { log.add("elsewhere") }
            #expect(waitInCode(SimulatedDispatchSemaphore(value: 0), seconds: 1) == .timedOut)
            #expect(log.words == ["elsewhere"])
            await time.runDueEntries()
            #expect(log.words == ["elsewhere", "main actor"])
        }
    }

    @Test func aNestedWaitThatBlocksTheOuterOneIsReported() async throws {
        try await withVirtualTime { time in
            let first = SimulatedDispatchSemaphore(value: 0)
            let second = SimulatedDispatchSemaphore(value: 0)
            let queue = SimulatedDispatchQueue(label: "queue")
            queue.async {
                first.signal()
                second.wait()
            }
            first.wait()
            second.signal()
            #expect(time.findings.map(\.kind) == [.nestedWait])
        }
    }

    @Test func eachProcessHasItsOwnMainThread() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let processes = [time.makeProcess(), time.makeProcess()]
            time.run(in: processes[1]) {
                SimulatedDispatchQueue.main.asyncAfter(deadline: .now() + 1) { log.add("the other") }
            }
            time.run(in: processes[0]) {
                SimulatedDispatchQueue.main.async { log.add("its own") }
                sleepOnThread(seconds: 2)
            }
            #expect(log.lines == ["the other 1.0"])
            await time.runDueEntries()
            #expect(log.lines == ["the other 1.0", "its own 2.0"])
        }
    }

    @Test func aWaitBeyondItsTimeoutIsReported() async throws {
        try await withVirtualTime { time in
            let processes = [time.makeProcess(), time.makeProcess()]
            time.run(in: processes[1]) {
                SimulatedDispatchQueue.main.async { SimulatedThread.sleep(forTimeInterval: 3) }
            }
            time.run(in: processes[0]) { sleepOnThread(seconds: 1) }
            #expect(time.now == 3_000_000_000)
            #expect(time.findings.map(\.kind) == [.mainThreadBlocked, .nestedWait, .mainThreadBlocked])
        }
    }

    private func sleepOnThread(seconds: Double) {
        SimulatedThread.sleep(forTimeInterval: seconds)
    }

    @Test func aRealThreadMaySignalAndIsReported() async throws {
        try await withVirtualTime { time in
            let semaphore = SimulatedDispatchSemaphore(value: 0)
            Foundation.Thread { semaphore.signal() }.start()
            await withUnsafeContinuation { continuation in
                Foundation.Thread {
                    SimulatedDispatchQueue.main.async { continuation.resume() }
                }.start()
            }
            #expect(time.findings.allSatisfy { $0.kind == .escapeToThread })
            #expect(!time.findings.isEmpty)
        }
    }

    @Test func locksWaitForTheirOwner() async throws {
        try await withVirtualTime { time in
            let lock = SimulatedLock()
            SimulatedDispatchQueue.global().async {
                lock.withLock { SimulatedThread.sleep(forTimeInterval: 1) }
            }
            SimulatedDispatchQueue.global().asyncAfter(deadline: .now() + 2) {
                lock.withLock { #expect(time.now == 2_000_000_000) }
            }
            await time.run(for: .seconds(3))
            #expect(time.findings.isEmpty)
        }
    }

    private func waitInCode(_ semaphore: SimulatedDispatchSemaphore, seconds: Double) -> DispatchTimeoutResult {
        semaphore.wait(timeout: .now() + seconds)
    }

    private func waitForEver(_ semaphore: SimulatedDispatchSemaphore) {
        semaphore.wait()
    }
}
