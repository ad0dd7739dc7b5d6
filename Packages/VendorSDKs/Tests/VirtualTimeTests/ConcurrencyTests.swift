import Testing
import VirtualTime

@Suite struct ConcurrencyTests {
    @Test func groupsAndAsyncLetSleepSideBySide() async throws {
        try await withVirtualTime { time in
            let order = await withTaskGroup(of: Int.self) { group in
                for seconds in [5, 1, 3] {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(seconds))
                        return seconds
                    }
                }
                var order: [Int] = []
                for await seconds in group { order.append(seconds) }
                return order
            }
            #expect(order == [1, 3, 5])
            #expect(time.now == 5_000_000_000)
            async let one = sleeping(2)
            async let other = sleeping(4)
            #expect(await one + other == 6)
            #expect(time.now == 9_000_000_000)
        }
    }

    @Test func actorsTakeTurns() async throws {
        try await withVirtualTime { time in
            let counter = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await counter.countSlowly() } }
            }
            #expect(await counter.count == 100)
            #expect(await counter.most == 100)
            #expect(time.now == 1_000_000_000)
        }
    }

    @Test func theMainActorIsTheMainContext() async throws {
        try await withVirtualTime { time in
            #expect(time.place == .main)
            MainActor.assertIsolated()
            await Task.detached { #expect(VirtualScheduler.current?.place == .anywhere) }.value
            onMain { #expect(VirtualScheduler.current?.place == .main) }
            time.enqueue(at: .main, isOrdered: true, label: EntryLabel("a block")) {
                MainActor.assumeIsolated {}
            }
            await time.runDueEntries()
        }
    }

    @Test func streamsPassValuesOn() async throws {
        try await withVirtualTime {
            let (stream, source) = AsyncStream.makeStream(of: Int.self)
            Task {
                for number in 0..<5 {
                    try await Task.sleep(for: .seconds(1))
                    source.yield(number)
                }
                source.finish()
            }
            var numbers: [Int] = []
            for await number in stream { numbers.append(number) }
            #expect(numbers == [0, 1, 2, 3, 4])
        }
    }

    @Test @MainActor func callersMayRunOnAnyActor() async throws {
        try await withVirtualTime { try await Task.sleep(for: .seconds(1)) }
        try await Counter().runVirtually()
    }

    @MainActor private func onMain(_ body: () -> Void) {
        body()
    }
}

private func sleeping(_ seconds: Int) async -> Int {
    try? await Task.sleep(for: .seconds(seconds))
    return seconds
}

private actor Counter {
    var count = 0
    var most = 0
    private var inside = 0

    func countSlowly() async {
        inside += 1
        most = max(most, inside)
        try? await Task.sleep(for: .seconds(1))
        inside -= 1
        count += 1
    }

    func runVirtually() async throws {
        try await withVirtualTime { try await Task.sleep(for: .seconds(1)) }
        count += 1
    }
}
