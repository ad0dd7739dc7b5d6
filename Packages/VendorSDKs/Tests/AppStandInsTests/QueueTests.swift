import AppStandIns
import Dispatch
import Testing
import VirtualTime

@Suite struct QueueTests {
    @Test func blocksRunAtTheirTimes() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let queue = SimulatedDispatchQueue(label: "queue")
            SimulatedDispatchQueue.main.asyncAfter(deadline: .now() + 5) { log.add("five") }
            SimulatedDispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(300)) { log.add("0.3") }
            queue.asyncAfter(wallDeadline: .now() + .seconds(2)) { log.add("two") }
            SimulatedDispatchQueue.global(qos: .utility).async { log.add("now") }
            SimulatedDispatchQueue.main.asyncAfter(deadline: .distantFuture) { log.add("never") }
            await time.run(for: .seconds(10))
            #expect(log.lines == ["now 0.0", "0.3 0.3", "two 2.0", "five 5.0"])
        }
    }

    @Test(arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?])
    func serialQueuesKeepTheirOrder(seed: UInt64?) async throws {
        try await withVirtualTime(seed: seed) { time in
            let log = Log()
            let queue = SimulatedDispatchQueue(label: "queue")
            let below = SimulatedDispatchQueue(label: "below", target: queue)
            for number in 0..<10 {
                (number % 2 == 0 ? queue : below).async { log.add("\(number)") }
                SimulatedDispatchQueue.main.async { log.add("main \(number)") }
            }
            await time.runDueEntries()
            #expect(log.lines.filter { !$0.hasPrefix("main") } == (0..<10).map { "\($0) 0.0" })
            #expect(log.lines.filter { $0.hasPrefix("main") } == (0..<10).map { "main \($0) 0.0" })
        }
    }

    @Test func aSeedPermutesConcurrentQueuesButNotAcrossBarriers() async throws {
        var orders: Set<[String]> = []
        for seed in 0..<10 as Range<UInt64> {
            let log = Log()
            try await withVirtualTime(seed: seed) { time in
                let queue = SimulatedDispatchQueue(label: "queue", attributes: .concurrent)
                for number in 0..<3 {
                    queue.async {
                        SimulatedThread.sleep(forTimeInterval: 1)
                        log.add("before \(number)")
                    }
                }
                await time.runDueEntries()
                queue.async(flags: .barrier) { log.add("barrier") }
                await time.run(for: .seconds(3))
                queue.async { log.add("after") }
                await time.runDueEntries()
                #expect(log.words.last == "after")
                #expect(log.words.dropLast().last == "barrier")
            }
            orders.insert(log.words)
        }
        #expect(orders.count > 1)
    }

    @Test func syncWaitsForEarlierWork() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let queue = SimulatedDispatchQueue(label: "queue")
            queue.async { log.add("first") }
            SimulatedDispatchQueue.main.async { log.add("main, which is blocked") }
            queue.sync { log.add("sync") }
            #expect(log.words == ["first", "sync"])
            SimulatedDispatchQueue.global().async {
                SimulatedDispatchQueue.main.sync { log.add("from below") }
            }
            await time.runDueEntries()
            #expect(log.words.count == 4)
            #expect(time.findings.isEmpty)
        }
    }

    @Test func aSuspendedQueueWaits() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let queue = SimulatedDispatchQueue(label: "queue", attributes: .initiallyInactive)
            queue.async { log.add("ran") }
            await time.run(for: .seconds(1))
            #expect(log.words.isEmpty)
            queue.activate()
            await time.runDueEntries()
            #expect(log.words == ["ran"])
        }
    }

    @Test func workItemsCanBeCancelledAndWaitedFor() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let cancelled = SimulatedDispatchWorkItem { log.add("cancelled") }
            let done = SimulatedDispatchWorkItem { log.add("done") }
            done.notify(queue: .main) { log.add("notified") }
            SimulatedDispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: cancelled)
            SimulatedDispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: done)
            cancelled.cancel()
            #expect(done.wait(timeout: .now() + 0.5) == .timedOut)
            done.wait()
            #expect(time.now == 1_000_000_000)
            await time.runDueEntries()
            #expect(log.words == ["done", "notified"])
        }
    }

    @Test func groupsNotifyWhenAllHaveLeft() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let group = SimulatedDispatchGroup()
            for seconds in [2.0, 1.0] {
                group.enter()
                SimulatedDispatchQueue.global().asyncAfter(deadline: .now() + seconds) { group.leave() }
            }
            SimulatedDispatchQueue.global().async(group: group) { log.add("in the group") }
            group.notify(queue: .main) { log.add("all") }
            #expect(group.wait(timeout: .now() + 1.5) == .timedOut)
            await time.run(for: .seconds(3))
            #expect(log.lines == ["in the group 0.0", "all 2.0"])
            group.leave()
            #expect(time.findings.map(\.kind) == [.mainThreadBlocked, .misuse])
        }
    }

    @Test func timerSourcesRepeatUntilTheyAreCancelled() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let timer = SimulatedDispatchSource.makeTimerSource(queue: .main)
            timer.schedule(deadline: .now() + 1, repeating: 0.5)
            timer.setEventHandler { log.add("fired") }
            timer.setCancelHandler { log.add("cancelled") }
            await time.run(for: .seconds(2))
            #expect(log.words.isEmpty)
            timer.resume()
            await time.run(for: .milliseconds(1_200))
            timer.cancel()
            await time.run(for: .seconds(5))
            #expect(log.lines == ["fired 2.0", "fired 2.5", "fired 3.0", "cancelled 3.2"])
        }
    }

    @Test func preconditionsAndSpecificsKnowTheQueue() async throws {
        try await withVirtualTime { time in
            let precondition = SimulatedDispatchPrecondition()
            let key = DispatchSpecificKey<Int>()
            let queue = SimulatedDispatchQueue(label: "queue")
            queue.setSpecific(key: key, value: 7)
            precondition(condition: .onQueue(.main))
            queue.sync {
                precondition(condition: .onQueue(queue))
                precondition(condition: .notOnQueue(SimulatedDispatchQueue(label: "other")))
                #expect(SimulatedDispatchQueue.getSpecific(key: key) == 7)
                #expect(!SimulatedThread.isMainThread)
            }
            #expect(SimulatedDispatchQueue.getSpecific(key: key) == nil)
            #expect(time.findings.isEmpty)
            precondition(condition: .onQueue(queue))
            #expect(time.findings.map(\.kind) == [.wrongQueue])
        }
    }
}

/// The events, and the second of each. Used only on the job thread.
final class Log: @unchecked Sendable {
    private(set) var words: [String] = []
    private(set) var lines: [String] = []

    func add(_ word: String) {
        words.append(word)
        lines.append("\(word) \(Double(VirtualScheduler.current?.now ?? 0) / 1e9)")
    }
}
