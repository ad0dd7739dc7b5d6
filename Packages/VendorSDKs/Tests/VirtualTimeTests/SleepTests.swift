import Testing
import VirtualTime

@Suite struct SleepTests {
    @Test func sleepsTakeVirtualTimeOnly() async throws {
        let end = try await withVirtualTime { time in
            for _ in 0..<1_000 { try await Task.sleep(for: .seconds(3_600)) }
            try await Task.sleep(nanoseconds: 1_000_000_001)
            try await Task.sleep(until: .now + .milliseconds(5), clock: .continuous)
            try await Task.sleep(until: .now + .milliseconds(5), clock: .suspending)
            return time.now
        }
        #expect(end == 3_600_001_010_000_001)
    }

    @Test func aCancelledSleepEndsAtOnce() async throws {
        try await withVirtualTime { time in
            let sleeper = Task { try await Task.sleep(for: .seconds(1_000)) }
            await time.run(for: .seconds(1))
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            #expect(time.now == 1_000_000_000)
        }
    }

    @Test func settlingRunsOnlyDueWork() async throws {
        try await withVirtualTime { time in
            var words: [String] = []
            Task {
                words.append("now")
                await Task.yield()
                words.append("still now")
                try await Task.sleep(for: .nanoseconds(1))
                words.append("later")
            }
            await time.runDueEntries()
            #expect(words == ["now", "still now"])
            #expect(time.now == 0)
            await time.run(for: .nanoseconds(1))
            #expect(words.last == "later")
        }
    }

    @Test func pendingWorkAtTheEndIsReportedAndNeverRuns() async throws {
        let mark = Mark()
        var report: Report?
        try await withVirtualTime(report: { report = $0 }) { time in
            Task {
                try await Task.sleep(for: .seconds(7))
                mark.isSet = true
            }
            time.enqueue(after: 9, at: .main, isOrdered: true, label: EntryLabel("a block")) { mark.isSet = true }
            await time.runDueEntries()
        }
        #expect(report?.pending.map(\.description) == ["a block, due at 9e-09 s", "a sleeping task, due at 7.0 s"])
        try await withVirtualTime { try await Task.sleep(for: .seconds(100)) }
        #expect(!mark.isSet)
    }

    @Test func aBodyThatNothingCanResumeFails() async throws {
        await #expect(throws: VirtualTimeError.self) {
            try await withVirtualTime(limits: Limits(patience: .milliseconds(1))) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    @Test func aLoopWithoutEndIsFoundAndLeft() async throws {
        try await withVirtualTime(limits: Limits(entriesPerInstant: 1_000)) { time in
            let mark = Mark()
            Task {
                try await Task.sleep(for: .seconds(1))
                mark.isSet = true
            }
            while !mark.isSet { await Task.yield() }
            #expect(time.now == 1_000_000_000)
            #expect(time.findings.map(\.kind) == [.busyLoop])
        }
    }

    @Test func theBodysErrorsAreThrown() async throws {
        struct Wrong: Error {}
        await #expect(throws: Wrong.self) { try await withVirtualTime { throw Wrong() } }
    }

    @Test func theCallersCancellationReachesTheBody() async throws {
        let caller = Task {
            try await withVirtualTime {
                while !Task.isCancelled { await Task.yield() }
                return true
            }
        }
        await Task.yield()
        caller.cancel()
        let wasCancelled = try await caller.value
        #expect(wasCancelled)
    }
}

/// A value that several tasks set, all on one thread.
final class Mark: @unchecked Sendable {
    var isSet = false
}
