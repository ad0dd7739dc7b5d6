import Foundation
import Synchronization
import TestSupport
import Testing

@testable import IMRepl

/// Tests of output to a slow reader. It must not block a thread that must not wait.
@Suite struct LineQueueTests {
    /// A reader that reads one line for each call of a method.
    private final class Reader: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let read = Mutex<[String]>([])

        func take(_ text: String) {
            gate.wait()
            read.withLock { $0.append(text) }
        }

        func readOn(_ count: Int) { for _ in 0..<count { gate.signal() } }

        var lines: [String] { read.withLock { $0 } }
    }

    @Test func `a reader that stops delays nobody, and is told the number of dropped lines`() {
        let queue = LineQueue(bytesMax: 100)
        let reader = Reader()
        for number in 0..<50 { queue.post("line \(number) of ten", reader.take) }
        #expect(reader.lines.isEmpty)
        reader.readOn(100)
        queue.drain(patience: TimeInterval(watchdogSeconds))
        let kept = reader.lines.filter { $0.hasPrefix("line ") }
        #expect(kept == (0..<kept.count).map { "line \($0) of ten" })
        #expect(kept.count < 10)
        #expect(reader.lines.last == "… \(50 - kept.count) lines dropped: the output was not read")
    }

    @Test func `a writer that may wait loses nothing and keeps the order`() {
        let queue = LineQueue(bytesMax: 100)
        let reader = Reader()
        reader.readOn(100)
        queue.write("first", reader.take)
        queue.post("second", reader.take)
        queue.write("third", reader.take)
        queue.write(String(repeating: "x", count: 1000), reader.take)
        queue.drain(patience: TimeInterval(watchdogSeconds))
        #expect(reader.lines.prefix(3) == ["first", "second", "third"])
        #expect(reader.lines.count == 4)
    }

    @Test func `the end waits only for a limited time`() {
        let queue = LineQueue(bytesMax: 100)
        let reader = Reader()
        queue.post("never read", reader.take)
        queue.drain(patience: 0)
        #expect(reader.lines.isEmpty)
        reader.readOn(1)
        queue.drain(patience: TimeInterval(watchdogSeconds))
        #expect(reader.lines == ["never read"])
    }
}
