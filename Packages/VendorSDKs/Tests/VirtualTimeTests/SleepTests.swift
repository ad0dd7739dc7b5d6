import Testing
import VirtualTime

@Suite struct SleepTests {
    @Test func sleepsTakeVirtualTimeOnly() async throws {
        let end = try await withVirtualTime { time in
            try await Task.sleep(for: .seconds(5_000))
            try await Task.sleep(nanoseconds: 1_000_000_001)
            return time.now
        }
        #expect(end == 5_001_000_000_001)
    }
}
