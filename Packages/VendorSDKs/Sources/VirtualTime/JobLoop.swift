import CVirtualTime
import SansIO

/// A job in the form in which an executor receives it.
struct SubmittedJob {
    let job: UnownedJob
    /// The task's number. Nil for a job of the runtime itself, such as an actor's turn.
    let task: UInt64?
    /// True if it runs on the main actor.
    let isMain: Bool
    /// From now, in nanoseconds.
    let delay: UInt64

    init(job: UnownedJob, isTask: Bool, isMain: Bool, delay: UInt64) {
        self.job = job
        task = isTask ? taskID(of: job) : nil
        self.isMain = isMain
        self.delay = delay
    }
}

/// The number of the task that the job belongs to. It is unique in a program.
@_silgen_name("swift_task_getJobTaskId")
private func taskID(of job: UnownedJob) -> UInt64

/// The loop on the main thread that runs every job of the program: those of virtual time, and those around it (the test
/// runner's) as soon as they are ready, by the machine's clock.
///
/// Other threads access only its inbox, which has a lock; so it is Sendable.
final class JobLoop: @unchecked Sendable {
    static let shared = JobLoop()
    /// The reason for which virtual time cannot run in this process. Nil if it can.
    nonisolated(unsafe) static var obstacle: VirtualTimeError? = .notInstalled
    /// Runs a job, on the main actor or elsewhere. Like `obstacle`, it is set before `main`, when no other thread runs.
    nonisolated(unsafe) static var runJob: (_ job: UnownedJob, _ isMain: Bool) -> Void = { _, _ in }

    /// A message from another thread.
    private enum Message {
        case job(SubmittedJob)
        case call(() -> Void)
    }

    /// The world whose time passes; at most one.
    private(set) var world: VirtualScheduler?
    /// The world whose code runs now: `world`, or one that ended while its code was blocked.
    var running: VirtualScheduler?
    private(set) var endedTasks = EndedTasks()

    private var inbox: [Message] = []
    private var outer = EntryQueue()
    private var outerSequence: UInt64 = 0
    private var isStopped = false
    /// The place of the outer entry that runs now. Before the loop runs, this is the main thread.
    private var outerContext: ExecutionContext = .main
    private var noGenerator: SeededRandom?

    /// True if the current code runs on the simulated main thread.
    var isOnMain: Bool {
        guard vt_is_job_thread() else { return false }
        return vt_is_active() ? world?.place == .main : outerContext == .main
    }

    func run(until condition: () -> Bool) {
        isStopped = false
        while !isStopped, !condition() {
            takeInbox()
            if runOuter() { continue }
            if let world, world.runNext(upTo: .max) { continue }
            wait()
        }
    }

    func stop() {
        isStopped = true
    }

    func enqueue(_ job: SubmittedJob) {
        if vt_is_job_thread() {
            place(job, isForeign: false)
        } else {
            passToJobThread(.job(job))
        }
    }

    /// Runs the body in virtual time for a thread outside of it, as soon as the job thread is free.
    func callFromOtherThread(_ body: @escaping () -> Void) {
        passToJobThread(.call(body))
    }

    /// Enqueues the messages of other threads. Returns true if there were any.
    @discardableResult
    func takeInbox() -> Bool {
        vt_inbox_lock()
        let messages = inbox
        if !messages.isEmpty { inbox = [] }
        vt_inbox_unlock()
        for message in messages {
            switch message {
            case .job(let job): place(job, isForeign: true)
            case .call(let body): world.map { $0.runForOtherThread(body) } ?? body()
            }
        }
        return !messages.isEmpty
    }

    func begin(_ scheduler: VirtualScheduler) {
        ProcessGlobals.shared.reset()
        world = scheduler
        vt_set_sleep_hook { JobLoop.shared.world?.sleep($0) }
        vt_set_busy_hook { JobLoop.shared.world?.letBusyReaderPass() }
    }

    /// Releases the world. Jobs that its tasks still enqueue later are dropped.
    func end(_ ended: VirtualScheduler) {
        endedTasks.add(ended.ownTasks)
        world = nil
    }

    private func passToJobThread(_ message: Message) {
        vt_inbox_lock()
        inbox.append(message)
        vt_inbox_signal()
        vt_inbox_unlock()
    }

    /// A task stays where it was first seen; everything else belongs to the code that enqueues it.
    private func place(_ job: SubmittedJob, isForeign: Bool) {
        if let task = job.task, endedTasks.contains(task) { return }
        if !isForeign, vt_is_active(), running?.isClosed == true { return }
        guard let world else { return addOuter(job) }
        switch world.owner(of: job.task, isForeign: isForeign) {
        case .outside:
            addOuter(job)
        case .process(let process, let trigger):
            if isForeign { world.reportForeignResume() }
            world.add(job, process: process, trigger: trigger)
        }
    }

    private func addOuter(_ job: SubmittedJob) {
        let now = vt_real_monotonic()
        outerSequence += 1
        outer.add(
            Entry(
                due: job.delay == 0 ? now : now.saturatingAdd(job.delay), sequence: outerSequence,
                place: job.isMain ? .main : .anywhere, isOrdered: false, process: nil, trigger: 0,
                label: EntryLabel("a job"), work: .job(job.job, isMain: job.isMain)),
            now: now)
    }

    private func runOuter() -> Bool {
        if let due = outer.nextDue(), case let now = vt_real_monotonic(), due <= now { outer.makeReady(now: now) }
        guard let entry = outer.takeReady(isFree: { _ in true }, generator: &noGenerator),
            case .job(let job, let isMain) = entry.work
        else { return false }
        outerContext = entry.place
        Self.runJob(job, isMain)
        outerContext = .main
        return true
    }

    /// Nothing is due. A world without pending entries waits briefly for other threads, then it counts as stuck.
    private func wait() {
        let start = vt_real_monotonic()
        let nextOuter = outer.nextDue()
        let patience = world?.patience
        vt_inbox_lock()
        defer { vt_inbox_unlock() }
        guard inbox.isEmpty else { return }
        let untilOuter = nextOuter.map { Int64(clamping: $0 > start ? $0 - start : 0) }
        vt_inbox_wait([untilOuter, patience].compactMap(\.self).min() ?? -1)
        guard let world, let patience, inbox.isEmpty else { return }
        world.didWait(vt_real_monotonic() - start, patience: patience)
    }
}
