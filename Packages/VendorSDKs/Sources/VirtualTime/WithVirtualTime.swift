import CVirtualTime

/// An error of a run of virtual time itself.
public enum VirtualTimeError: Error, Sendable, CustomStringConvertible {
    /// The process has other executors, such as XCTest's.
    case notInstalled
    /// The system's clocks stay real in this process. Only on Apple's systems.
    case realClocks
    /// The executors of Swift's concurrency cannot be replaced in this process. Only on Apple's systems.
    case fixedExecutors
    /// A run was started inside another run.
    case nested
    /// Nothing was left that could resume the body.
    case stuck(String)

    public var description: String {
        switch self {
        case .notInstalled: "virtual time is not installed in this process; XCTest's tests run in real time"
        case .realClocks:
            "the clocks are real in this process; set DYLD_INSERT_LIBRARIES to libVirtualClocks.dylib for the test run"
        case .fixedExecutors:
            "the executors of this system's version can be replaced only in a build by a toolchain of swift.org with "
                + "-Xswiftc -DEXECUTOR_SPI"
        case .nested: "virtual time within virtual time"
        case .stuck(let text): text
        }
    }
}

/// The result of a run of virtual time.
public struct Report: Sendable {
    /// An entry that was still to run.
    public struct Pending: Sendable, CustomStringConvertible {
        public let label: String
        public let due: UInt64
        public let process: ProcessID?

        public var description: String { "\(label), due at \(Double(due) / 1e9) s" }
    }

    public let findings: [Finding]
    public let pending: [Pending]
    /// The time of its end, in nanoseconds since its start.
    public let end: UInt64
    /// A hash of all that ran, in its order and at its times.
    public let chain: UInt64
}

/// 2026-01-01T00:00:00Z in nanoseconds since 1970.
public let defaultWallStart: UInt64 = 1_767_225_600_000_000_000

/// Runs `body` in virtual time, on the main actor. One run at a time: other callers wait for their turn.
///
/// - Parameters:
///   - seed: Decides the order of entries that are due together and have no promised order; without one, first in,
///   first out.
///   - start: The wall clock's value at the start, in nanoseconds since 1970.
///   - timeline: Events of another simulation that happen in between.
///   - report: Called at the end with the findings and the pending entries, also if `body` throws.
@discardableResult
public func withVirtualTime<T: Sendable>(
    seed: UInt64? = nil, start: UInt64 = defaultWallStart, timeline: (any Timeline)? = nil, limits: Limits = Limits(),
    report: (Report) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
    body: @escaping @MainActor @Sendable (VirtualScheduler) async throws -> T
) async throws -> T {
    if let obstacle = JobLoop.obstacle { throw obstacle }
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
    public func runDueEntries() async {
        await wait(until: now)
    }

    /// Lets time pass, and runs everything that is due by then.
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
        // Separate from the draws of the order, which must not depend on the app's draws.
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

    /// After this, nothing runs in virtual time any more, beginning with the caller.
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

    /// Nothing can resume the body, so its test fails instead of waiting for ever.
    func giveUp() {
        let text = "the body waits for what nothing is left to bring"
        report(.deadlock, text)
        fail(VirtualTimeError.stuck(text))
    }

    fileprivate func finalReport() -> Report {
        Report(findings: findings, pending: pendingAtEnd, end: now, chain: chain)
    }
}

/// Admits one run of virtual time after the other. It is used on the job thread alone.
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
