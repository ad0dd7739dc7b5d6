import Synchronization

/// The progress of a long operation, such as an export, in one line of a terminal. The line is removed when the
/// operation has ended.
final class WorkProgressBar: Sendable {
    private struct Work {
        var bar: ProgressBar
        var total: Int
    }

    private let work = Mutex<Work?>(nil)

    func show(_ done: Int, of total: Int) {
        work.withLock { work in
            if work?.total != total { work = Work(bar: ProgressBar.onTerminal(total: total), total: total) }
            guard done < total else {
                work?.bar.clear()
                return work = nil
            }
            work?.bar.show(done: done)
        }
    }
}
