import CVirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

extension VirtualScheduler {
    /// A new simulated process.
    public func makeProcess() -> ProcessID {
        lastProcess += 1
        return ProcessID(rawValue: lastProcess)
    }

    /// Runs the body as code of a process, on its main thread. Entries that it enqueues belong to the process.
    ///
    /// - Parameter trigger: the number of its cause (`currentTrigger`).
    @discardableResult
    public func run<T>(in process: ProcessID, trigger: Int = 0, _ body: () throws -> T) rethrows -> T {
        try inside(process, at: .main, trigger: trigger, body)
    }

    /// Runs the body in a task of a process and waits for it. If the process ends first, throws `ProcessEnded`.
    @MainActor @discardableResult
    public func runTask<T: Sendable>(
        in process: ProcessID, trigger: Int = 0, _ body: @escaping @MainActor @Sendable () async throws -> T
    ) async throws -> T {
        guard !endedProcesses.contains(process) else { throw ProcessEnded(process: process) }
        return try await withUnsafeThrowingContinuation { continuation in
            let outcome = Outcome(continuation)
            atEnd(of: process) { outcome.resume(with: .failure(ProcessEnded(process: process))) }
            run(in: process, trigger: trigger) {
                _ = Task { @MainActor in
                    do {
                        outcome.resume(with: .success(try await body()))
                    } catch {
                        outcome.resume(with: .failure(error))
                    }
                }
            }
        }
    }

    /// Ends a process at once: entries that it has enqueued never run, and later ones are dropped.
    ///
    /// Its running code, such as code that ends its own process, continues to its next suspension or end. An actor that
    /// it shared with other processes may wait for ever for a dropped turn.
    public func discard(process: ProcessID) {
        guard endedProcesses.insert(process).inserted else { return }
        queue.discard(process)
        let handlers = endHandlers.removeValue(forKey: process) ?? []
        for handler in handlers { inside(nil, at: .anywhere, trigger: 0, handler) }
    }

    public func hasEnded(_ process: ProcessID) -> Bool {
        endedProcesses.contains(process)
    }

    /// Calls the handler when a process ends, outside of the process.
    public func atEnd(of process: ProcessID, _ handler: @escaping () -> Void) {
        endHandlers[process, default: []].append(handler)
    }

    /// Descriptions of a process's pending entries. Two entries from one position in the source have the same
    /// description.
    public func pending(of process: ProcessID) -> [String] {
        queue.pending.filter { $0.process == process }.map(\.label.description)
    }

    /// The tasks that were first seen within this world.
    var ownTasks: [UInt64] {
        tasks.compactMap { task, owner in
            if case .process = owner { task } else { nil }
        }
    }

    /// A task belongs to the code that first enqueued it, a turn of the runtime to the code that enqueues it.
    func owner(of task: UInt64?, isForeign: Bool) -> Owner {
        let enqueuer: Owner =
            isForeign || !vt_is_active() ? .outside : .process(currentProcess, trigger: currentTrigger)
        guard let task else { return enqueuer }
        if let known = tasks[task] { return known }
        if case .process = enqueuer, firstTask == 0 { firstTask = task }
        // An older task that is seen for the first time came from outside: a test that waits for the body.
        let owner = task < firstTask ? .outside : enqueuer
        tasks[task] = owner
        return owner
    }

    func reportForeignResume() {
        report(.escapeToThread, "a task went on because of a thread that is not in virtual time")
    }

    func runForOtherThread(_ body: () -> Void) {
        inside(nil, at: .anywhere, trigger: 0, body)
    }
}

/// A result that several parties may set; the first one counts.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Value, any Error>?

    init(_ continuation: UnsafeContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    var isOpen: Bool { continuation != nil }

    func resume(with result: Result<Value, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}
