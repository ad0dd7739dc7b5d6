import CVirtualTime
import SansIO

/// Virtual time: the pending entries in the order of their time, and a clock that moves on when nothing is left to do.
///
/// It lives on the job thread alone, so it is Sendable. Other threads enter by `fromAnyThread`.
public final class VirtualScheduler: @unchecked Sendable {
    /// The scheduler whose code runs now. Nil if none does.
    public static var current: VirtualScheduler? {
        vt_is_job_thread() && vt_is_active() ? JobLoop.shared.running : nil
    }

    /// The monotonic clocks' value at the start. Not zero, which code takes for "never".
    public static let monotonicStart: UInt64 = 1_000_000_000_000

    /// In nanoseconds since the start.
    public private(set) var now: UInt64 = 0
    /// The wall clock's value at the start, in nanoseconds since 1970.
    public let wallStart: UInt64
    public let limits: Limits
    public let seed: UInt64?
    public private(set) var findings: [Finding] = []
    /// The process whose code runs now. Nil for the test's own code.
    public internal(set) var currentProcess: ProcessID?
    /// The number of the cause of the running code, such as the user's tap; 0 for a cause without a number. Blocks,
    /// timers and tasks inherit the number of the code that enqueued them.
    public internal(set) var currentTrigger = 0
    /// A hash of all that ran so far, in its order and at its times. Two equal runs have the same hash.
    public private(set) var chain: UInt64 = 0xCBF2_9CE4_8422_2325

    var queue = EntryQueue()
    /// Events besides the jobs. It may be set after the start, such as when a world is built.
    public var timeline: (any Timeline)?
    /// The positions of the entries that run now: one, or several if one blocks and another runs meanwhile.
    var occupied: [Position] = []
    /// Places whose entries are held back, such as those of a suspended queue.
    public var suspended: Set<ExecutionContext> = []
    var waiters: [Waiter] = []
    /// The waits that block code now, the innermost last.
    var blockedWaits: [BlockedWait] = []
    var tasks: [UInt64: Owner] = [:]
    var endedProcesses: Set<ProcessID> = []
    var endHandlers: [ProcessID: [() -> Void]] = [:]
    var lastProcess = 0
    /// The values of the app's global variables, for each process whose code does not run now.
    var globals: [ProcessID: ProcessGlobals.Image] = [:]
    /// The number of the first task. All tasks with lower numbers belong to the surroundings.
    var firstTask: UInt64 = 0
    var isClosed = false
    /// Values that other modules attach to this world, by their own keys.
    public var attachments: [AnyHashable: Any] = [:]
    /// Called when nothing is left that can resume the body.
    var fail: (any Error) -> Void = { _ in }
    var cancelBody: () -> Void = {}
    var pendingAtEnd: [Report.Pending] = []
    var isReadingBusily = false

    private var generator: SeededRandom?
    private var sequence: UInt64 = 0
    private var instant = Instant()
    private var idleReal: UInt64 = 0

    /// The owner of a task.
    enum Owner {
        case outside
        case process(ProcessID?, trigger: Int)
    }

    /// The body's wait until nothing is left to do at a given time.
    struct Waiter {
        let time: UInt64
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// The number of entries that ran since the clock moved on.
    private struct Instant {
        var count = 0
        var isBusy = false
        /// The order of the timeline's next event and the jobs of this instant; nil until it is drawn.
        var tie: Tie?
    }

    /// The order of the timeline's event and the jobs of its instant. Drawn once: a task takes several jobs to
    /// progress, and with a draw before each job the event would hardly ever be last.
    private enum Tie: Int {
        case first
        case last
        case anywhere
    }

    init(seed: UInt64?, wallStart: UInt64, timeline: (any Timeline)?, limits: Limits) {
        self.seed = seed
        generator = seed.map(SeededRandom.init(seed:))
        self.wallStart = wallStart
        self.timeline = timeline
        self.limits = limits
    }

    /// Runs `body` with the world of the calling code. A thread outside of virtual time passes the body to the job
    /// thread, and this is reported. Without virtual time there is nothing to run it in; on the job thread this is a
    /// precondition failure.
    public static func perform(_ what: @autoclosure () -> String, _ body: @escaping (VirtualScheduler) -> Void) {
        if let current { return body(current) }
        let what = what()
        precondition(!vt_is_job_thread(), "\(what) is simulated, and can only be used within withVirtualTime")
        JobLoop.shared.callFromOtherThread {
            guard let world = JobLoop.shared.world else { return }
            world.report(.escapeToThread, "\(what) was used by a thread that is not in virtual time")
            body(world)
        }
    }

    /// The world of the calling code, for requests that cannot be passed to the job thread.
    public static func required(for what: @autoclosure () -> String) -> VirtualScheduler {
        guard let current else {
            preconditionFailure("\(what()) is simulated, and can only be used by code within withVirtualTime")
        }
        return current
    }

    /// The place of the entry that runs now.
    public var place: ExecutionContext { occupied.last?.place ?? .anywhere }

    /// Enqueues a block. If `isOrdered` is true, the place promises to run it after all earlier ordered blocks that are
    /// due by then, regardless of the seed.
    @discardableResult
    public func enqueue(
        after delay: UInt64 = 0, at place: ExecutionContext, isOrdered: Bool, label: EntryLabel,
        block: @escaping () -> Void
    ) -> Entry {
        enqueue(
            after: delay, place: place, isOrdered: isOrdered, process: currentProcess, trigger: currentTrigger,
            label: label, work: .block(block))
    }

    /// Enqueues a block as a process's own, like a system or an SDK that calls back. Unlike `run(in:)` it waits while
    /// the process's main thread is blocked. Its only cause is `trigger`.
    @discardableResult
    public func enqueue(
        in process: ProcessID, after delay: UInt64 = 0, at place: ExecutionContext = .main, isOrdered: Bool = true,
        trigger: Int = 0, label: EntryLabel, block: @escaping () -> Void
    ) -> Entry {
        enqueue(
            after: delay, place: place, isOrdered: isOrdered, process: process, trigger: trigger, label: label,
            work: .block(block))
    }

    /// Records a finding for the driver's checks or the test.
    public func report(_ kind: Finding.Kind, _ text: String) {
        findings.append(Finding(kind: kind, text: text, time: now, process: currentProcess))
    }

    /// Runs one entry that is due up to `limit`, and moves the clock to its time. Returns true if there was one.
    func runNext(upTo limit: UInt64) -> Bool {
        if isBusyInstant() { return leaveInstant(upTo: limit) }
        if let due = timeline?.nextDue, due <= now, isTimelineFirst() {
            advanceTimeline(to: now)
            return true
        }
        if let entry = queue.takeReady(isFree: { isFree($0) }, generator: &generator) {
            run(entry)
            return true
        }
        if let due = timeline?.nextDue, due <= now {
            advanceTimeline(to: now)
            return true
        }
        return leaveInstant(upTo: limit)
    }

    func add(_ job: SubmittedJob, process: ProcessID?, trigger: Int) {
        enqueue(
            after: job.delay, place: job.isMain ? .main : .anywhere,
            // The main executor is the main queue, which runs its jobs in the order of enqueuing. A task that is
            // isolated to the main actor is enqueued there when it is created (SE-0431). Sleeps promise no order.
            isOrdered: job.isMain && job.delay == 0, process: process, trigger: trigger,
            label: EntryLabel(
                job.delay > 0 ? "a sleeping task" : job.isMain ? "a job of the main actor" : "a job of a task"),
            work: .job(job.job, isMain: job.isMain))
    }

    func isFree(_ position: Position) -> Bool {
        position.place == .anywhere || !(occupied.contains(position) || suspended.contains(position.place))
    }

    func moveClock(to time: UInt64) {
        guard time > now else { return }
        now = time
        instant.count = 0
        instant.tie = nil
        queue.makeReady(now: now)
        showClock()
    }

    /// True if more entries ran in this instant than its limit.
    private func isBusyInstant() -> Bool {
        // Once an endless loop is found, the limit is lower in the instants that follow.
        guard instant.count > (instant.isBusy ? limits.entriesPerInstant / 100 : limits.entriesPerInstant) else {
            return false
        }
        if !instant.isBusy {
            instant.isBusy = true
            report(.busyLoop, "\(instant.count) entries ran in one instant; the clock moves on without their end")
        }
        return true
    }

    /// Nothing is left to do now: resumes the waiters of this time, or moves the clock to the next due time.
    private func leaveInstant(upTo limit: UInt64) -> Bool {
        let next = [queue.nextDue(), timeline?.nextDue].compactMap(\.self).min()
        if let time = waiters.map(\.time).min(), time <= limit, next.map({ time < $0 }) ?? true {
            moveClock(to: time)
            resumeWaiters()
            return true
        }
        guard let next, next <= limit else { return false }
        moveClock(to: max(next, now))
        if let due = timeline?.nextDue, due <= now, isTimelineFirst() { advanceTimeline(to: now) }
        return true
    }

    private func resumeWaiters() {
        let due = waiters.filter { $0.time <= now }
        waiters.removeAll { $0.time <= now }
        instant.count = 0
        for waiter in due { waiter.continuation.resume() }
    }

    /// At the same instant the timeline's events come first, unless the order is drawn.
    private func isTimelineFirst() -> Bool {
        guard var draws = generator else { return true }
        defer { generator = draws }
        let tie = instant.tie ?? Tie(rawValue: draws.draw(below: 3)) ?? .first
        instant.tie = tie
        return tie == .first || tie == .anywhere && draws.draw(below: 2) == 0
    }

    private func advanceTimeline(to time: UInt64) {
        instant.count += 1
        instant.tie = nil
        mix(time, 1)
        inside(nil, at: .anywhere, trigger: 0) { timeline?.advance(to: time) }
    }

    @discardableResult
    private func enqueue(
        after delay: UInt64, place: ExecutionContext, isOrdered: Bool, process: ProcessID?, trigger: Int,
        label: EntryLabel,
        work: Entry.Work
    ) -> Entry {
        sequence += 1
        let entry = Entry(
            due: now.saturatingAdd(delay), sequence: sequence, place: place, isOrdered: isOrdered, process: process,
            trigger: trigger, label: label, work: work)
        // Entries that a process enqueues after its end are dropped only here.
        if isClosed || process.map(endedProcesses.contains) ?? false {
            entry.cancel()
        } else {
            queue.add(entry, now: now)
        }
        return entry
    }

    private func run(_ entry: Entry) {
        guard let work = entry.work else { return }
        entry.work = nil
        instant.count += 1
        idleReal = 0
        mix(now, entry.sequence &* 2)
        inside(entry.process, at: entry.place, trigger: entry.trigger) {
            switch work {
            case .job(let job, let isMain): JobLoop.runJob(job, isMain)
            case .block(let block): block()
            }
        }
    }

    /// Runs `body` as code of a process at a place, with virtual clocks.
    func inside<T>(_ process: ProcessID?, at place: ExecutionContext, trigger: Int, _ body: () throws -> T) rethrows
        -> T
    {
        let outerProcess = currentProcess
        let outerTrigger = currentTrigger
        let wasActive = vt_is_active()
        let outerRunning = JobLoop.shared.running
        JobLoop.shared.running = self
        currentProcess = process
        currentTrigger = trigger
        occupied.append(Position(place: place, process: process))
        if let process { ProcessGlobals.shared.load(process, of: self) }
        showClock()
        vt_begin_job()
        vt_set_active(true)
        defer {
            vt_set_active(wasActive)
            JobLoop.shared.running = outerRunning
            occupied.removeLast()
            currentProcess = outerProcess
            currentTrigger = outerTrigger
            if let outerProcess { ProcessGlobals.shared.load(outerProcess, of: self) }
        }
        return try body()
    }

    private func showClock() {
        vt_set_time(wallStart &+ now, Self.monotonicStart &+ now)
    }

    private func mix(_ values: UInt64...) {
        for value in values { chain = (chain ^ value) &* 0x0000_0100_0000_01B3 }
    }

    /// In nanoseconds of the real clock.
    var patience: Int64 { Int64(clamping: limits.patience.wholeNanoseconds) }

    /// The loop waited for other threads in vain. When the patience is used up, the body is given up.
    func didWait(_ real: UInt64, patience: Int64) {
        idleReal += real
        if idleReal >= UInt64(patience) { giveUp() }
    }
}
