import CVirtualTime

/// How a blocking wait ended.
public enum WaitOutcome: Sendable {
    case done
    case timedOut
    /// Nothing can end it. It was reported, and the process that waits has ended.
    case deadlock
}

extension VirtualScheduler {
    /// Blocks until all that was enqueued at a serial place before is done, then runs something there, as `sync` does.
    public func runSynchronously<T>(at place: Place, label: EntryLabel, _ body: () throws -> T) rethrows -> T {
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

    /// Whether the calling code itself keeps a place, and not one that is blocked beneath it.
    private func isHeldByCaller(_ position: Position) -> Bool {
        guard let index = occupied.lastIndex(of: position) else { return false }
        return blockedWaits.last.map { $0.depth <= index } ?? true
    }

    /// Code that is blocked, and how deep it stands.
    struct BlockedWait {
        let isDone: () -> Bool
        let wait: Wait
        let place: Place
        let process: ProcessID?
        let depth: Int
        let deadline: UInt64?
        /// When it could have ended, if a wait within it kept it from that.
        var endedAt: UInt64?

        /// What it is, for who reads what was left.
        var description: String { "\(VirtualScheduler.words(for: place)), blocked by \(wait.object)" }
    }

    /// What a wait is for, for the words of a deadlock.
    public struct Wait {
        let object: String
        let ender: String

        /// `object` is what is waited for ("a DispatchSemaphore created at …"), `ender` what would end it ("signal it").
        public init(for object: String, ender: String) {
            self.object = object
            self.ender = ender
        }
    }

    /// Blocks the calling code until `isDone`, as a thread would be blocked: everything else goes on but what needs the
    /// places that it occupies.
    ///
    /// Waits stand on one stack. One that began within another has to end first; where the later one waits for what
    /// the earlier one would do next, threads would get by and this cannot: it is reported as such.
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
            // The world or the process ended beneath what is blocked: it unwinds, and does nothing any more.
            if isClosed || currentProcess.map(hasEnded) ?? false { return .deadlock }
            noteEndedWaits()
            if let deadline, now > deadline { return .timedOut }
            if JobLoop.shared.takeInbox() || runNext(upTo: limit) { continue }
            if deadline == nil { return declareDeadlock(wait, since: start) }
            moveClock(to: limit)
            return isDone() ? .done : .timedOut
        }
    }

    /// Waits beneath this one that have to go on only because of it.
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

    static func words(for place: Place) -> String {
        switch place {
        case .main: "the main thread"
        case .queue(let queue): "the queue \"\(queue.label)\""
        case .anywhere: "a thread"
        }
    }

    /// Lets time pass while the calling code stands still, as in `Thread.sleep`.
    public func sleep(_ length: UInt64) {
        _ = block(until: { false }, timeout: length, wait: Wait(for: "a sleep", ender: "end it"))
    }

    /// An entry has read the clock very often: it waits for a time by looking at it, and gets there by this.
    func letBusyReaderPass() {
        if !isReadingBusily {
            isReadingBusily = true
            report(.busyLoop, "code reads the clock again and again instead of waiting")
        }
        moveClock(to: now + 10_000)
    }
}
