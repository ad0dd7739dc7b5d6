import IMLive
import NIOCore
import NIOEmbedded
import Testing

/// Tests of dividing work that thousands of clients can cause at once.
@Suite struct FairWorkQueueTests {
    /// The letters of the finished work. The clock of the queue does not advance.
    private final class Done {
        var letters = ""
    }

    private func workQueue(_ loop: EmbeddedEventLoop) -> FairWorkQueue {
        FairWorkQueue(on: loop) { .uptimeNanoseconds(1_000_000_000) }
    }

    @Test func shortWorkRunsAtOnce() {
        let (loop, done) = (EmbeddedEventLoop(), Done())
        let workQueue = workQueue(loop)
        for letter in ["a", "b", "c"] { workQueue.take { done.letters += letter } }
        #expect(done.letters == "abc")
    }

    @Test func aTurnEndsAfterItsShareAndTheNextFollowsAfterAPause() {
        let (loop, done) = (EmbeddedEventLoop(), Done())
        let workQueue = workQueue(loop)
        for letter in ["a", "b", "c", "d", "e", "f", "g"] {
            workQueue.take(costing: .microseconds(500)) { done.letters += letter }
        }
        #expect(done.letters == "ab")
        loop.run()
        #expect(done.letters == "ab")
        loop.advanceTime(by: .microseconds(99))
        #expect(done.letters == "ab")
        loop.advanceTime(by: .microseconds(1))
        #expect(done.letters == "abcd")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "abcdef")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "abcdefg")
    }

    @Test func laterWorkIsQueuedAfterWaitingWork() {
        let (loop, done) = (EmbeddedEventLoop(), Done())
        let workQueue = workQueue(loop)
        for letter in ["a", "b"] { workQueue.take(costing: .milliseconds(1)) { done.letters += letter } }
        workQueue.take { done.letters += "c" }
        #expect(done.letters == "a")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "ab")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "abc")
    }

    @Test func aTurnThatAddsWorkEnds() {
        let (loop, done) = (EmbeddedEventLoop(), Done())
        let workQueue = workQueue(loop)
        for letter in ["a", "b"] {
            workQueue.take(costing: .milliseconds(1)) {
                done.letters += letter
                workQueue.take { done.letters += letter.uppercased() }
            }
        }
        #expect(done.letters == "a")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "aAb")
        loop.advanceTime(by: .microseconds(100))
        #expect(done.letters == "aAbB")
    }

    @Test func socketsAreServedBetweenTurns() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("a", as: "s1")
            let count = await harness.send("a", "hello", arrivingAt: "s1", withinTurns: 2000)
            #expect(count < 2000)
            #expect(try await harness.next("s1") == .text("hello"))
        }
    }
}
