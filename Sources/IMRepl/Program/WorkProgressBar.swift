import Synchronization

/// The line of a terminal with the progress of an export or an import. It is removed when the work is done.
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
