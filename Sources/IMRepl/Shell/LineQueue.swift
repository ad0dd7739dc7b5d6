import Foundation

/// What the program prints, in order, with a thread of its own for those who must not wait for a reader.
///
/// Who may wait writes by itself, when all that was handed over before is out: a pager that stops, stops it. Who may
/// not, the thread of a live world, hands its lines over; when nobody reads them there is room for so many bytes, and
/// what comes beyond is dropped and counted: `… 12 lines dropped: nobody reads them`.
///
/// `@unchecked Sendable`: the condition guards everything.
final class LineQueue: @unchecked Sendable {
    /// The one for stdout and stderr, which the process has once.
    static let standard = LineQueue()

    /// Lines that wait may have so many bytes.
    static let bytesMax = 1 << 20

    private struct Item {
        var text: String
        /// Takes the text, and may wait as long as it likes.
        var write: (String) -> Void
    }

    private let bytesMax: Int
    private let condition = NSCondition()
    private var items: [Item] = []
    private var bytes = 0
    /// Since the last one that found room.
    private var droppedCount = 0
    private var writeLast: ((String) -> Void)?
    /// Somebody writes; the condition is not held meanwhile.
    private var isWriting = false
    private var appendedCount = 0
    private var writtenCount = 0
    private var hasThread = false

    init(bytesMax: Int = LineQueue.bytesMax) {
        self.bytesMax = bytesMax
    }

    /// Writes when all before is out, and returns when it is done.
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
        let place = appendedCount
        while writtenCount < place { condition.wait() }
        condition.unlock()
    }

    /// Hands a line over. It never waits.
    func post(_ text: String, _ write: @escaping (String) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        // One line always finds room, however long it is.
        guard items.isEmpty || bytes + text.utf8.count <= bytesMax else {
            droppedCount += 1
            writeLast = write
            return
        }
        noteDropped()
        append(Item(text: text, write: write))
    }

    private func append(_ item: Item) {
        items.append(item)
        bytes += item.text.utf8.count
        appendedCount += 1
        if !hasThread {
            hasThread = true
            Thread.detachNewThread { [self] in work() }
        }
        condition.broadcast()
    }

    private func noteDropped() {
        guard droppedCount > 0, let writeLast else { return }
        let lines = droppedCount == 1 ? "1 line" : "\(droppedCount) lines"
        droppedCount = 0
        self.writeLast = nil
        append(Item(text: "… \(lines) dropped: nobody read them", write: writeLast))
    }

    private func work() {
        condition.lock()
        while true {
            while isWriting || items.isEmpty { condition.wait() }
            isWriting = true
            let batch = items
            condition.unlock()
            for item in batch {
                item.write(item.text)
                condition.lock()
                writtenCount += 1
                bytes -= item.text.utf8.count
                condition.broadcast()
                condition.unlock()
            }
            condition.lock()
            items.removeFirst(batch.count)
            isWriting = false
            if items.isEmpty { noteDropped() }
            condition.broadcast()
        }
    }

    /// Waits until all is out, or until nothing has got out for a while.
    func drain(patience: TimeInterval = 1) {
        condition.lock()
        defer { condition.unlock() }
        var seen = writtenCount
        var limit = Date(timeIntervalSinceNow: patience)
        while !items.isEmpty || isWriting {
            if !condition.wait(until: limit) {
                guard writtenCount != seen else { return }
            }
            guard writtenCount != seen else { continue }
            seen = writtenCount
            limit = Date(timeIntervalSinceNow: patience)
        }
    }
}
