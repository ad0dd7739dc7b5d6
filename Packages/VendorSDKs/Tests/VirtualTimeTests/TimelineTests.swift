import Testing
import VirtualTime

@Suite struct TimelineTests {
    @Test func eventsAndJobsRunInTheOrderOfTime() async throws {
        let events = Events(at: [5, 10, 15, 20])
        try await withVirtualTime(timeline: events) { time in
            for delay in [1, 10, 12] {
                Task {
                    try await Task.sleep(for: .nanoseconds(delay))
                    events.log.append("task \(delay)")
                }
            }
            await time.run(for: .nanoseconds(15))
            #expect(time.now == 15)
        }
        #expect(events.log == ["task 1", "event 5", "event 10", "task 10", "task 12", "event 15"])
        #expect(events.nextDue == 20)
    }

    @Test func aSeedDecidesTheOrderAtEqualTimes() async throws {
        var firsts: Set<String> = []
        for seed in 0..<20 as Range<UInt64> {
            let events = Events(at: [10])
            try await withVirtualTime(seed: seed, timeline: events) { time in
                Task {
                    try await Task.sleep(for: .nanoseconds(10))
                    events.log.append("task")
                }
                await time.run(for: .nanoseconds(10))
            }
            #expect(events.log.sorted() == ["event 10", "task"])
            firsts.insert(events.log.first ?? "")
        }
        #expect(firsts.count == 2)
    }

    @Test func anEventMayResumeItsWaiters() async throws {
        let events = Events(at: [1_000_000_000])
        try await withVirtualTime(timeline: events) { time in
            await withUnsafeContinuation { continuation in events.onEvent = { continuation.resume() } }
            #expect(time.now == 1_000_000_000)
            #expect(time.findings.isEmpty)
        }
    }
}

/// Used only on the job thread.
private final class Events: Timeline, @unchecked Sendable {
    var log: [String] = []
    var onEvent: () -> Void = {}
    private var times: [UInt64]

    init(at times: [UInt64]) {
        self.times = times
    }

    var nextDue: UInt64? { times.first }

    func advance(to time: UInt64) {
        while let next = times.first, next <= time {
            times.removeFirst()
            log.append("event \(next)")
            onEvent()
        }
    }
}
