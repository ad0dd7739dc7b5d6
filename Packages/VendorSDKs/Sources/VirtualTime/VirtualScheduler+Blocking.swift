import CVirtualTime

/// How a blocking wait ended.
public enum WaitOutcome: Sendable {
    case done
    case timedOut
    /// Nothing can end it. It was reported, and the process that waits has ended.
    case deadlock
}

extension VirtualScheduler {
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
    /// the earlier one would do next, this is a deadlock here, though threads would get by.
    public func block(until isDone: () -> Bool, timeout: UInt64? = nil, wait: Wait) -> WaitOutcome {
        let start = now
        let isMain = occupied.contains(.main)
        let outcome = runWorld(
            until: isDone, deadline: timeout.map(start.saturatingAdd), wait: wait, since: start)
        let length = now - start
        if isMain, outcome != .deadlock, length > limits.mainThreadBlock.wholeNanoseconds {
            report(.mainThreadBlocked, "the main thread stood still for \(length / 1_000_000) ms, for \(wait.object)")
        }
        return outcome
    }

    /// Whatever waits at this place now, up to a time.
    private func runWorld(until isDone: () -> Bool, deadline: UInt64?, wait: Wait, since start: UInt64) -> WaitOutcome {
        let limit = deadline ?? start.saturatingAdd(limits.hang.wholeNanoseconds)
        while true {
            if isDone() { return .done }
            // Others' clocks must not be virtual while they run, nor those of what was interrupted be lost.
            if JobLoop.shared.takeInbox() { continue }
            if runNext(upTo: limit) { continue }
            if deadline != nil {
                moveClock(to: limit)
                return isDone() ? .done : .timedOut
            }
            return declareDeadlock(wait, since: start)
        }
    }

    private func declareDeadlock(_ wait: Wait, since start: UInt64) -> WaitOutcome {
        let waiter = Self.words(for: place)
        var text = "\(waiter) waits for \(wait.object)"
        let held = queue.pending.filter { $0.due <= now && !isFree($0.place) }
        if !held.isEmpty {
            let shown = held.prefix(3).map { "\($0.label) for \(Self.words(for: $0.place))" }
            text += "; what would \(wait.ender) is queued behind it: " + shown.joined(separator: ", ")
            if held.count > shown.count { text += " and \(held.count - shown.count) more" }
        } else if queue.nextDue() == nil, timeline?.nextDue == nil {
            text += "; nothing is left that could \(wait.ender)"
        } else {
            text += "; nothing did \(wait.ender) within \((now - start) / 1_000_000_000) s"
        }
        report(.deadlock, text)
        if let currentProcess { discard(process: currentProcess) }
        return .deadlock
    }

    static func words(for place: Place) -> String {
        switch place {
        case .main: "the main thread"
        case .queue(let number): "serial queue \(number)"
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
