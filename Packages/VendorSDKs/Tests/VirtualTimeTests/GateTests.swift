import Testing
import VirtualTime

@Suite struct GateTests {
    /// Both sleep equally long and count in between; if they ran concurrently, the counts would mix.
    @Test func oneRunOfVirtualTimeAtATime() async throws {
        let log = Log()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    try await withVirtualTime { time in
                        for second in 1...3 {
                            try await Task.sleep(for: .seconds(1))
                            #expect(time.now == UInt64(second) * 1_000_000_000)
                            log.lines.append(name)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(log.lines == ["a", "b", "c", "d"].flatMap { Array(repeating: $0, count: 3) })
    }

    @Test func tasksOfWaitingRunsAreNotInIt() async throws {
        let (stream, source) = AsyncStream.makeStream(of: Int.self)
        async let outside = stream.first { _ in true }
        try await withVirtualTime { time in
            source.yield(1)
            await time.run(for: .seconds(1))
            #expect(time.findings.isEmpty)
        }
        #expect(await outside == 1)
    }

    @Test func runsCannotBeNested() async throws {
        try await withVirtualTime {
            await #expect(throws: VirtualTimeError.self) { try await withVirtualTime {} }
        }
    }
}

/// Used only on the job thread.
private final class Log: @unchecked Sendable {
    var lines: [String] = []
}
