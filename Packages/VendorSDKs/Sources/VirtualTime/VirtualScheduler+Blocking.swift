import CVirtualTime

/// The result of a blocking wait.
public enum WaitOutcome: Sendable {
    case done
    case timedOut
    /// Nothing can end the wait. It was reported, and the waiting process has ended.
    case deadlock
}

extension VirtualScheduler {
    /// Blocks until everything enqueued earlier at a serial place is done, then runs the body there, like `sync`.
    public func runSynchronously<T>(at place: ExecutionContext, label: EntryLabel, _ body: () throws -> T) rethrows -> T
    {
        let process = currentProcess
        let position = Position(place: place, process: process)
        if isHeldByCaller(position) {
            let wait = Wait(for: "\(label) on \(Self.words(for: place)), on which it stands", ender: "get there")
            _ = declareDeadlock(wait, since: now)
        } else if !isFree(position) || queue.hasReady(at: position) {
            var isReached = false
            let turn = enqueue(at: place, isOrdered: true, label: label) { isReached = true }
            let wait = Wait(for: "\(label) on \(Self.words(for: place))", ender: "get there")
            if block(until: { isReached }, wait: wait) != .done { turn.cancel() }
        }
        return try inside(process, at: place, trigger: currentTrigger, body)
    }

    /// True if the calling code itself occupies the position, and not code that is blocked below it on the stack.
    private func isHeldByCaller(_ position: Position) -> Bool {
        guard let index = occupied.lastIndex(of: position) else { return false }
        return blockedWaits.last.map { $0.depth <= index } ?? true
    }

    /// A blocked wait, with its depth on the stack.
    struct BlockedWait {
        let isDone: () -> Bool
        let wait: Wait
        let place: ExecutionContext
        let process: ProcessID?
        let depth: Int
        let deadline: UInt64?
        /// The time at which it could have ended, if a nested wait prevented that.
        var endedAt: UInt64?

        /// The blocked place and the object of the wait, for reports.
        var description: String { "\(VirtualScheduler.words(for: place)), blocked by \(wait.object)" }
    }

    /// The object of a wait and the way to end it, for the text of a deadlock.
    public struct Wait {
        let object: String
        let ender: String

        /// `object` is the awaited object ("a DispatchSemaphore created at …"), `ender` the action that ends the wait
        /// ("signal it").
        public init(for object: String, ender: String) {
            self.object = object
            self.ender = ender
        }
    }

    /// Blocks the calling code until `isDone`, like a blocked thread: everything else continues, except code that needs
    /// the places that it occupies.
    ///
    /// Waits share one stack, so a nested wait has to end before the outer one. If it waits for something that the code
    /// after the outer wait would do, real threads would continue and this cannot: it is reported as a nested wait.
    public func block(until isDone: @escaping () -> Bool, timeout: UInt64? = nil, wait: Wait) -> WaitOutcome {
        if isDone() { return .done }
        let start = now
        let isMain = occupied.contains(Position(place: .main, process: currentProcess))
        let deadline = timeout.map(start.saturatingAdd)
        blockedWaits.append(
            BlockedWait(
                isDone: isDone, wait: wait, place: place, process: currentProcess, depth: occupied.count,
                deadline: deadline))
        let outcome = runWorld(until: isDone, deadline: deadline, wait: wait, since: start)
        let endedAt = blockedWaits.removeLast().endedAt ?? .max
        let late = now - min(now, endedAt, deadline ?? .max)
        if late > 0 {
            report(.nestedWait, "a wait for \(wait.object) went on \(late / 1_000_000) ms longer, for one within it")
        }
        let length = now - start
        if isMain, outcome != .deadlock, length > limits.mainThreadBlock.wholeNanoseconds {
            report(.mainThreadBlocked, "the main thread stood still for \(length / 1_000_000) ms, for \(wait.object)")
        }
        return outcome
    }

    private func runWorld(until isDone: () -> Bool, deadline: UInt64?, wait: Wait, since start: UInt64) -> WaitOutcome {
        let limit = deadline ?? start.saturatingAdd(limits.hang.wholeNanoseconds)
        while true {
            if isDone() { return .done }
            // The world or the process ended while this was blocked: the code unwinds, and has no effect any more.
            if isClosed || currentProcess.map(hasEnded) ?? false { return .deadlock }
            noteEndedWaits()
            if let deadline, now > deadline { return .timedOut }
            if JobLoop.shared.takeInbox() || runNext(upTo: limit) { continue }
            if deadline == nil { return declareDeadlock(wait, since: start) }
            moveClock(to: limit)
            return isDone() ? .done : .timedOut
        }
    }

    /// Notes the outer waits that could end now, and continue only because of this one.
    private func noteEndedWaits() {
        for index in blockedWaits.indices.dropLast() where blockedWaits[index].endedAt == nil {
            let blocked = blockedWaits[index]
            if blocked.isDone() { blockedWaits[index].endedAt = now }
        }
    }

    private func declareDeadlock(_ wait: Wait, since start: UInt64) -> WaitOutcome {
        var text = "\(Self.words(for: place)) waits for \(wait.object)"
        if blockedWaits.dropLast().contains(where: { $0.isDone() }) {
            report(.nestedWait, text + " within another wait that could end; only real threads get by here")
            return .deadlock
        }
        let held = queue.pending.filter { $0.due <= now && !isFree($0.position) }
        if !held.isEmpty {
            let shown = held.prefix(3).map(\.label.description)
            text += "; what would \(wait.ender) is queued behind it: " + shown.joined(separator: ", ")
            if held.count > shown.count { text += " and \(held.count - shown.count) more" }
        } else if queue.nextDue() == nil, timeline?.nextDue == nil {
            text += "; nothing is left that could \(wait.ender)"
        } else {
            text += "; nothing did \(wait.ender) within \(limits.hang)"
        }
        report(.deadlock, text)
        if let currentProcess { discard(process: currentProcess) }
        return .deadlock
    }

    static func words(for place: ExecutionContext) -> String {
        switch place {
        case .main: "the main thread"
        case .queue(let queue): "the queue \"\(queue.label)\""
        case .anywhere: "a thread"
        }
    }

    /// Lets time pass while the calling code blocks, as in `Thread.sleep`.
    public func sleep(_ length: UInt64) {
        _ = block(until: { false }, timeout: length, wait: Wait(for: "a sleep", ender: "end it"))
    }

    /// An entry has read the clock very often: it polls for a time, and this moves the clock towards it.
    func letBusyReaderPass() {
        if !isReadingBusily {
            isReadingBusily = true
            report(.busyLoop, "code reads the clock again and again instead of waiting")
        }
        moveClock(to: now + 10_000)
    }
}
