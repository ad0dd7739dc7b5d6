import Foundation

/// Writes the program's output in order. A separate thread writes for callers that must not wait for the reader of the
/// output.
///
/// A caller that may wait writes its text itself, after all queued texts. So it waits while a pager does not read. A
/// caller that must not wait, such as the thread of a live world, queues its lines. If nobody reads them, the queue
/// accepts a limited number of bytes. Further lines are dropped and counted: `… 12 lines dropped: the output was not
/// read`.
///
/// `@unchecked Sendable`: the condition guards all properties.
final class LineQueue: @unchecked Sendable {
    /// The queue for stdout and stderr of the process.
    static let standard = LineQueue()

    /// The maximum size of the queued lines, in bytes.
    static let bytesMax = 1 << 20

    /// Lines for the same descriptor are written together, up to this number of bytes.
    private static let joinedBytesMax = 16 << 10
    /// The time in seconds for which the thread waits for further lines before it sleeps. Waking it for each line would
    /// be slow: a server under load writes thousands of lines a second.
    private static let linger = 0.002

    private struct Item {
        var text: String
        /// The file descriptor to which `write` writes. Texts for the same descriptor may be joined to one text of
        /// several lines. Nil for a text that is never joined.
        var descriptor: Int32?
        /// Writes the text. It may wait without a limit.
        var write: (String) -> Void
    }

    private let bytesMax: Int
    private let condition = NSCondition()
    private var items: [Item] = []
    private var bytes = 0
    /// The number of lines that were dropped after the last line that fitted into the queue.
    private var droppedCount = 0
    private var writeLast: ((String) -> Void)?
    /// True while a thread writes. The condition is not locked during that time.
    private var isWriting = false
    private var appendedCount = 0
    private var writtenCount = 0
    private var hasThread = false
    /// True while the thread waits to be woken.
    private var isIdle = false
    /// The number of threads that wait until something is written.
    private var waiterCount = 0

    init(bytesMax: Int = LineQueue.bytesMax) {
        self.bytesMax = bytesMax
    }

    /// Writes a text after all queued texts, and returns when it is written.
    func write(_ text: String, _ write: @escaping (String) -> Void) {
        condition.lock()
        guard isWriting || !items.isEmpty else {
            isWriting = true
            condition.unlock()
            write(text)
            condition.lock()
            isWriting = false
            condition.broadcast()
            return condition.unlock()
        }
        append(Item(text: text, write: write))
        let number = appendedCount
        waiterCount += 1
        condition.broadcast()
        while writtenCount < number { condition.wait() }
        waiterCount -= 1
        condition.unlock()
    }

    /// Queues a line. It never waits.
    ///
    /// - Parameter descriptor: lines for the same descriptor may be written together; nil to write the line separately.
    func post(_ text: String, to descriptor: Int32? = nil, _ write: @escaping (String) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        // A line always fits into an empty queue, however long it is.
        guard items.isEmpty || bytes + text.utf8.count <= bytesMax else {
            droppedCount += 1
            writeLast = write
            return
        }
        noteDropped()
        append(Item(text: text, descriptor: descriptor, write: write))
    }

    private func append(_ item: Item) {
        items.append(item)
        bytes += item.text.utf8.count
        appendedCount += 1
        if !hasThread {
            hasThread = true
            Thread.detachNewThread { [self] in work() }
        }
        if isIdle || waiterCount > 0 { condition.broadcast() }
    }

    private func noteDropped() {
        guard droppedCount > 0, let writeLast else { return }
        let lines = droppedCount == 1 ? "1 line" : "\(droppedCount) lines"
        droppedCount = 0
        self.writeLast = nil
        append(Item(text: "… \(lines) dropped: the output was not read", write: writeLast))
    }

    private func work() {
        condition.lock()
        while true {
            if items.isEmpty, !isWriting, waiterCount == 0 {
                _ = condition.wait(until: Date(timeIntervalSinceNow: Self.linger))
            }
            while isWriting || items.isEmpty {
                isIdle = true
                condition.wait()
            }
            isIdle = false
            isWriting = true
            let batch = items
            condition.unlock()
            var start = 0
            while start < batch.count {
                let end = Self.endOfJoined(batch, from: start)
                let texts = batch[start..<end].lazy.map(\.text)
                batch[start].write(end == start + 1 ? batch[start].text : texts.joined(separator: "\n"))
                condition.lock()
                writtenCount += end - start
                bytes -= texts.reduce(0) { $0 + $1.utf8.count }
                if waiterCount > 0 { condition.broadcast() }
                condition.unlock()
                start = end
            }
            condition.lock()
            items.removeFirst(batch.count)
            isWriting = false
            if items.isEmpty { noteDropped() }
            if waiterCount > 0 { condition.broadcast() }
        }
    }

    /// The index after the last item that is written together with the one at `start`.
    private static func endOfJoined(_ batch: [Item], from start: Int) -> Int {
        var end = start + 1
        guard let descriptor = batch[start].descriptor else { return end }
        var bytes = batch[start].text.utf8.count
        while end < batch.count, batch[end].descriptor == descriptor {
            bytes += batch[end].text.utf8.count
            guard bytes <= joinedBytesMax else { break }
            end += 1
        }
        return end
    }

    /// Waits until everything is written, or until nothing was written for `patience` seconds.
    func drain(patience: TimeInterval = 1) {
        condition.lock()
        waiterCount += 1
        condition.broadcast()
        defer {
            waiterCount -= 1
            condition.unlock()
        }
        var lastCount = writtenCount
        var limit = Date(timeIntervalSinceNow: patience)
        while !items.isEmpty || isWriting {
            if !condition.wait(until: limit) {
                guard writtenCount != lastCount else { return }
            }
            guard writtenCount != lastCount else { continue }
            lastCount = writtenCount
            limit = Date(timeIntervalSinceNow: patience)
        }
    }
}
