import CVirtualTime

/// What is wrong with a run of virtual time itself.
public enum VirtualTimeError: Error, Sendable, CustomStringConvertible {
    /// The process has other executors, as one of XCTest has.
    case notInstalled
    /// It was asked for within itself.
    case nested
    /// Nothing was left that could let the body go on.
    case stuck(String)

    public var description: String {
        switch self {
        case .notInstalled: "virtual time is not installed in this process; XCTest's tests run in real time"
        case .nested: "virtual time within virtual time"
        case .stuck(let text): text
        }
    }
}

/// What a run of virtual time leaves behind.
public struct Report: Sendable {
    /// Something that was still to run.
    public struct Pending: Sendable, CustomStringConvertible {
        public let label: String
        public let due: UInt64
        public let process: ProcessID?

        public var description: String { "\(label), due at \(Double(due) / 1e9) s" }
    }

    public let findings: [Finding]
    public let pending: [Pending]
    /// When it ended, in nanoseconds since its start.
    public let end: UInt64
    /// A hash of all that ran, in its order and at its times.
    public let chain: UInt64
}

/// 2026-01-01T00:00:00Z in nanoseconds since 1970.
public let defaultWallStart: UInt64 = 1_767_225_600_000_000_000

/// Runs `body` in virtual time, on the main actor. One run at a time: other callers wait for their turn.
///
/// - Parameters:
///   - seed: Draws the order of what is due together and of which no order is promised; without one, first in, first out.
///   - start: What the wall clock shows at the start, in nanoseconds since 1970.
///   - timeline: Events of another simulation that happen in between.
///   - report: Called at the end with what was found and what is still pending, also when `body` throws.
@discardableResult
public func withVirtualTime<T: Sendable>(
    seed: UInt64? = nil, start: UInt64 = defaultWallStart, timeline: (any Timeline)? = nil, limits: Limits = Limits(),
    report: (Report) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
    body: @escaping @MainActor @Sendable (VirtualScheduler) async throws -> T
) async throws -> T {
    guard JobLoop.isInstalled else { throw VirtualTimeError.notInstalled }
    guard !vt_is_active() else { throw VirtualTimeError.nested }
    await Gate.enter()
    defer { Gate.leave() }
    let scheduler = VirtualScheduler(seed: seed, wallStart: start, timeline: timeline, limits: limits)
    defer { report(scheduler.finalReport()) }
    return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
            scheduler.start(body, outcome: Outcome(continuation))
        }
    } onCancel: {
        JobLoop.shared.callFromOtherThread { scheduler.cancelBody() }
    }
}

/// Runs `body` in virtual time, on the main actor; see the form whose body gets the scheduler.
@discardableResult
public func withVirtualTime<T: Sendable>(
    seed: UInt64? = nil, start: UInt64 = defaultWallStart, timeline: (any Timeline)? = nil, limits: Limits = Limits(),
    report: (Report) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
    body: @escaping @MainActor @Sendable () async throws -> T
) async throws -> T {
    try await withVirtualTime(seed: seed, start: start, timeline: timeline, limits: limits, report: report) { _ in
        try await body()
    }
}

extension VirtualScheduler {
    /// Waits until nothing is left to do at this instant.
    @MainActor
    public func settle() async {
        await wait(until: now)
    }

    /// Lets time pass, and all happen that is due by then.
    @MainActor
    public func run(for length: Duration) async {
        await wait(until: now.saturatingAdd(length.wholeNanoseconds))
    }

    private func wait(until time: UInt64) async {
        await withUnsafeContinuation { continuation in
            waiters.append(Waiter(time: time, continuation: continuation))
        }
    }

    fileprivate func start<T: Sendable>(
        _ body: @escaping @MainActor @Sendable (VirtualScheduler) async throws -> T, outcome: Outcome<T>
    ) {
        fail = { error in
            guard outcome.isOpen else { return }
            self.close()
            outcome.resume(with: .failure(error))
        }
        JobLoop.shared.begin(self)
        // Apart from the draws of the order, which must not move with what the app draws.
        vt_seed_random((seed ?? 0) ^ 0x5EED_0FA9)
        inside(nil, at: .main, trigger: 0) {
            let task = Task { @MainActor in
                let result: Result<T, any Error>
                do {
                    result = .success(try await body(self))
                } catch {
                    result = .failure(error)
                }
                guard outcome.isOpen else { return }
                self.close()
                outcome.resume(with: result)
            }
            cancelBody = { task.cancel() }
        }
    }

    /// From here on nothing is in virtual time any more, the caller of all this first of all.
    private func close() {
        pendingAtEnd = queue.pending.map {
            Report.Pending(label: $0.label.description, due: $0.due, process: $0.process)
        }
        pendingAtEnd += blockedWaits.map {
            Report.Pending(label: $0.description, due: now, process: $0.process)
        }
        isClosed = true
        JobLoop.shared.end(self)
        vt_set_active(false)
        fail = { _ in }
        cancelBody = {}
        queue = EntryQueue()
        waiters = []
        endHandlers = [:]
    }

    /// Nothing can let the body go on, so its test fails instead of waiting for ever.
    func giveUp() {
        let text = "the body waits for what nothing is left to bring"
        report(.deadlock, text)
        fail(VirtualTimeError.stuck(text))
    }

    fileprivate func finalReport() -> Report {
        Report(findings: findings, pending: pendingAtEnd, end: now, chain: chain)
    }
}

/// Lets one run of virtual time after the other through. It is used on the job thread alone.
private enum Gate {
    nonisolated(unsafe) private static var isTaken = false
    nonisolated(unsafe) private static var waiting: [UnsafeContinuation<Void, Never>] = []

    static func enter() async {
        await withUnsafeContinuation { continuation in
            if isTaken {
                waiting.append(continuation)
            } else {
                isTaken = true
                continuation.resume()
            }
        }
    }

    static func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
