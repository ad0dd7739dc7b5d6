import Testing
import VirtualTime

@Suite struct ProcessTests {
    @Test func workBelongsToTheProcessThatEnqueuesIt() async throws {
        try await withVirtualTime { time in
            let process = time.makeProcess()
            var seen: [ProcessID?] = []
            time.run(in: process) {
                Task {
                    seen.append(time.currentProcess)
                    try await Task.sleep(for: .seconds(1))
                    seen.append(time.currentProcess)
                    time.enqueue(after: 1, at: .main, isOrdered: true, label: EntryLabel("a block")) {
                        seen.append(time.currentProcess)
                    }
                }
            }
            #expect(time.currentProcess == nil)
            await time.run(for: .seconds(2))
            #expect(seen == [process, process, process])
        }
    }

    @Test func aTaskBelongsToItsProcessWhicheverCodeResumesIt() async throws {
        try await withVirtualTime { time in
            let process = time.makeProcess()
            var seen: [ProcessID?] = []
            var resume: () -> Void = {}
            time.run(in: process) {
                Task {
                    await withUnsafeContinuation { continuation in resume = { continuation.resume() } }
                    seen.append(time.currentProcess)
                }
            }
            await time.runDueEntries()
            resume()
            await time.runDueEntries()
            #expect(seen == [process])
        }
    }

    @Test func aKilledProcessRunsNoMoreWork() async throws {
        try await withVirtualTime { time in
            let victim = time.makeProcess()
            let other = time.makeProcess()
            var words: [String] = []
            var resumeLate: () -> Void = {}
            for (process, name) in [(victim, "victim"), (other, "other")] {
                time.run(in: process) {
                    time.enqueue(at: .main, isOrdered: true, label: EntryLabel("a block")) { words.append(name) }
                    Task {
                        try await Task.sleep(for: .seconds(1))
                        words.append(name)
                    }
                    Task {
                        await withUnsafeContinuation { continuation in
                            if process == victim { resumeLate = { continuation.resume() } }
                        }
                        words.append(name)
                    }
                }
            }
            await time.runDueEntries()
            #expect(words == ["victim", "other"])
            time.discard(process: victim)
            resumeLate()
            // A callback to an object of an ended process: what it enqueues is discarded too.
            time.run(in: victim) {
                Task { words.append("late") }
                time.enqueue(at: .main, isOrdered: true, label: EntryLabel("a block")) { words.append("late") }
            }
            await time.run(for: .seconds(5))
            #expect(words == ["victim", "other", "other"])
        }
    }

    @Test func aCallbackWaitsWhileTheMainThreadIsBlocked() async throws {
        try await withVirtualTime { time in
            let process = time.makeProcess()
            var words: [String] = []
            time.run(in: process) {
                time.enqueue(in: process, after: 1, label: EntryLabel("a callback")) {
                    words.append("\(time.currentProcess == process) at \(time.now)")
                }
                time.sleep(5)
                #expect(words.isEmpty)
            }
            await time.runDueEntries()
            #expect(words == ["true at 5"])
        }
    }

    @Test func waitersAreNotifiedOfAProcesssEnd() async throws {
        try await withVirtualTime { time in
            let process = time.makeProcess()
            let inside = try await time.runTask(in: process) { time.currentProcess }
            #expect(inside == process)
            let waiting = Task {
                try await time.runTask(in: process) { try await Task.sleep(for: .seconds(10)) }
            }
            await time.run(for: .seconds(1))
            time.discard(process: process)
            await #expect(throws: ProcessEnded.self) { try await waiting.value }
            await #expect(throws: ProcessEnded.self) { try await time.runTask(in: process) {} }
            #expect(time.now == 1_000_000_000)
        }
    }
}
