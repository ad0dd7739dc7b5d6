import CVirtualTime
import SansIO

/// Virtual time: what is to run, in the order of its time, and the clock that moves on when nothing is left to do.
///
/// It lives on the job thread alone, which is why it is Sendable; other threads come in by `fromAnyThread`.
public final class VirtualScheduler: @unchecked Sendable {
    /// That whose code runs now, if any does.
    public static var current: VirtualScheduler? {
        vt_is_job_thread() && vt_is_active() ? JobLoop.shared.running : nil
    }

    /// What the monotonic clocks show at the start: not zero, which code takes for "never".
    public static let monotonicStart: UInt64 = 1_000_000_000_000

    /// In nanoseconds since the start.
    public private(set) var now: UInt64 = 0
    /// What the wall clock shows at the start, in nanoseconds since 1970.
    public let wallStart: UInt64
    public let limits: Limits
    public let seed: UInt64?
    public private(set) var findings: [Finding] = []
    /// Whose code runs now; nothing for the test's own.
    public internal(set) var currentProcess: ProcessID?
    /// The number of what led to the code that runs, as a tap of the user's; 0 where that is nothing which has a number.
    /// Blocks, timers and tasks have that of the code that enqueued them.
    public internal(set) var currentTrigger = 0
    /// A hash of all that ran so far, in its order and at its times: two runs alike have the same.
    public private(set) var chain: UInt64 = 0xCBF2_9CE4_8422_2325

    var queue = EntryQueue()
    /// What happens besides the jobs. It may be set later than the start, as once a world is built.
    public var timeline: (any Timeline)?
    /// The places of the entries that run now: of one, or of those that wait and the one that runs meanwhile.
    var occupied: [Position] = []
    /// Places whose entries are held back, as those of a suspended queue.
    public var suspended: Set<Place> = []
    var waiters: [Waiter] = []
    /// The waits that block code now, the innermost last.
    var blockedWaits: [BlockedWait] = []
    var tasks: [UInt64: Owner] = [:]
    var endedProcesses: Set<ProcessID> = []
    var endHandlers: [ProcessID: [() -> Void]] = [:]
    var lastProcess = 0
    /// The values of the app's global variables in each process whose code does not run now.
    var globals: [ProcessID: ProcessGlobals.Image] = [:]
    /// The number of the first task, before which all belong to the surroundings.
    var firstTask: UInt64 = 0
    var isClosed = false
    /// What others keep for the length of this world, by their own keys.
    public var attachments: [AnyHashable: Any] = [:]
    /// Called when nothing is left that could let the body go on.
    var fail: (any Error) -> Void = { _ in }
    var cancelBody: () -> Void = {}
    var pendingAtEnd: [Report.Pending] = []
    var isReadingBusily = false

    private var generator: SeededRandom?
    private var sequence: UInt64 = 0
    private var instant = Instant()
    private var idleReal: UInt64 = 0

    /// To whom a task belongs.
    enum Owner {
        case outside
        case process(ProcessID?, trigger: Int)
    }

    /// The body's wait for a time at which nothing is left to do.
    struct Waiter {
        let time: UInt64
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// How much ran since the clock moved on.
    private struct Instant {
        var count = 0
        var isBusy = false
        /// How the timeline's next event stands to the jobs of this instant, once it was drawn.
        var tie: Tie?
    }

    /// Whether the timeline's event comes before the jobs of its instant. A task takes several jobs to get on: were there
    /// a draw before each, the event would hardly ever be last.
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

    /// Does something with the world in which the calling code runs. A thread that is not in virtual time hands it over
    /// to the job thread, which is reported. Anywhere else there is no virtual time, and nothing sensible to do.
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

    /// The world in which the calling code runs, for what cannot be handed over.
    public static func required(for what: @autoclosure () -> String) -> VirtualScheduler {
        guard let current else {
            preconditionFailure("\(what()) is simulated, and can only be used by code within withVirtualTime")
        }
        return current
    }

    /// Where what runs now stands.
    public var place: Place { occupied.last?.place ?? .anywhere }

    /// Enqueues a block. `isOrdered` says that its place promises to run it after all ordered ones before it that are
    /// due by then, whatever is drawn.
    @discardableResult
    public func enqueue(
        after delay: UInt64 = 0, at place: Place, isOrdered: Bool, label: EntryLabel, block: @escaping () -> Void
    ) -> Entry {
        enqueue(
            after: delay, place: place, isOrdered: isOrdered, process: currentProcess, trigger: currentTrigger,
            label: label, work: .block(block))
    }

    /// Enqueues a block as a process's own, as a system or an SDK does that calls back. Unlike `run(in:)` it waits while
    /// the process's main thread is blocked. Nothing but `trigger` led to it.
    @discardableResult
    public func enqueue(
        in process: ProcessID, after delay: UInt64 = 0, at place: Place = .main, isOrdered: Bool = true,
        trigger: Int = 0, label: EntryLabel, block: @escaping () -> Void
    ) -> Entry {
        enqueue(
            after: delay, place: place, isOrdered: isOrdered, process: process, trigger: trigger, label: label,
            work: .block(block))
    }

    /// Notes something of which the driver's checks or the test will want to know.
    public func report(_ kind: Finding.Kind, _ text: String) {
        findings.append(Finding(kind: kind, text: text, time: now, process: currentProcess))
    }

    /// Runs one thing that is due up to `limit`, and moves the clock on to it. Says whether there was any.
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
            after: job.delay, place: job.executor.isMain ? .main : .anywhere,
            // The main executor is the main queue, which runs its jobs in the order of enqueuing; a task that is isolated
            // to the main actor is enqueued there when it is created (SE-0431). Sleeps promise no order.
            isOrdered: job.executor.isMain && job.delay == 0, process: process, trigger: trigger,
            label: EntryLabel(
                job.delay > 0 ? "a sleeping task" : job.executor.isMain ? "a job of the main actor" : "a job of a task"),
            work: .job(job.job, on: job.executor))
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

    /// Whether more than a burst ran in this instant.
    private func isBusyInstant() -> Bool {
        // Once found, a loop without end is left sooner at each instant that follows.
        guard instant.count > (instant.isBusy ? limits.entriesPerInstant / 100 : limits.entriesPerInstant) else {
            return false
        }
        if !instant.isBusy {
            instant.isBusy = true
            report(.busyLoop, "\(instant.count) entries ran in one instant; the clock moves on without their end")
        }
        return true
    }

    /// Nothing is left to do now: lets who waits for that go on, or moves the clock on to what is due next.
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

    /// What is due at the same instant: the timeline's events first, unless the order is drawn.
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
        after delay: UInt64, place: Place, isOrdered: Bool, process: ProcessID?, trigger: Int, label: EntryLabel,
        work: Entry.Work
    ) -> Entry {
        sequence += 1
        let entry = Entry(
            due: now.saturatingAdd(delay), sequence: sequence, place: place, isOrdered: isOrdered, process: process,
            trigger: trigger, label: label, work: work)
        // The one place where what a process enqueues after its end is dropped.
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
            case .job(let job, let executor): executor.run(job)
            case .block(let block): block()
            }
        }
    }

    /// Runs something as code of a process at a place, with virtual clocks.
    func inside<T>(_ process: ProcessID?, at place: Place, trigger: Int, _ body: () throws -> T) rethrows -> T {
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

    /// By the machine's clock, in nanoseconds.
    var patience: Int64 { Int64(clamping: limits.patience.wholeNanoseconds) }

    /// The loop waited for other threads and nothing came; after all of the patience the body is given up.
    func didWait(_ real: UInt64, patience: Int64) {
        idleReal += real
        if idleReal >= UInt64(patience) { giveUp() }
    }
}
