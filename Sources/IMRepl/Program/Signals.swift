import Dispatch
import Foundation
import IMShell
import SansIO

/// The signal handling of the process. A session file would be valid without it, because all processed events are
/// already written.
enum Signals {
    /// The signals that end the program, with the outcomes for them.
    private static let ending: [(number: Int32, outcome: Outcome)] = [
        (SIGHUP, .hungUp), (SIGINT, .interrupted), (SIGQUIT, .quitSignal), (SIGTERM, .terminated),
    ]

    /// Ends the program at a signal with the outcome of that signal, because an interrupted script has not succeeded.
    static func endOnSignals() {
        // SIGPIPE would end the program without a message. A failed write reports the closed reader instead.
        signal(SIGPIPE, SIG_IGN)
        // SIGXFSZ would end the program when a file reaches its size limit. A failed write reports the limit instead.
        signal(SIGXFSZ, SIG_IGN)
        for (number, outcome) in ending where !isIgnored(number) { handle(number) { end(outcome) } }
    }

    /// True if the parent process has set the signal to be ignored, as `nohup` does so that the program outlives the
    /// terminal.
    private static func isIgnored(_ number: Int32) -> Bool {
        guard number == SIGHUP else { return false }
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return SystemDifferences.ignoresSignal(action)
    }

    /// Registers an action that runs before a signal ends the program. It may take at most ``endingsTimeout`` seconds.
    static func beforeEnd(_ action: @escaping @Sendable () -> Void) { endings.add(action) }

    /// Runs the registered actions and ends the program. Do not call it on a thread that these actions wait for.
    static func end(_ outcome: Outcome) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            endings.run()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + endingsTimeout)
        endProcess(outcome)
    }

    private static let endingsTimeout = 3.0
    private static let endings = Endings()

    /// `@unchecked Sendable`: the lock guards the list.
    private final class Endings: @unchecked Sendable {
        private let lock = NSLock()
        private var actions: [@Sendable () -> Void] = []

        func add(_ action: @escaping @Sendable () -> Void) { lock.withLock { actions.append(action) } }

        /// Runs each action once, also if several signals come.
        func run() {
            let due = lock.withLock {
                defer { actions = [] }
                return actions
            }
            for action in due { action() }
        }
    }

    /// At the prompt ^C stops the running command, not the shell.
    static func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        handle(SIGINT, action)
    }

    /// Waits for a signal that ends the program. It returns the outcome for that signal, so that the caller can end the
    /// program in order.
    ///
    /// - Parameter begin: called when the signals are handled. It receives a closure that ends the wait without a
    ///   signal.
    static func awaitEnd(_ begin: (@escaping @Sendable (Outcome) -> Void) -> Void) -> Outcome {
        let (signals, end) = (DispatchSemaphore(value: 0), EndingSignal())
        for (number, outcome) in ending where !isIgnored(number) {
            handle(number) {
                end.set(outcome)
                signals.signal()
            }
        }
        begin { outcome in
            end.set(outcome)
            signals.signal()
        }
        signals.wait()
        return end.outcome
    }

    /// `@unchecked Sendable`: the lock guards the outcome.
    private final class EndingSignal: @unchecked Sendable {
        private let lock = NSLock()
        private var first: Outcome?

        func set(_ outcome: Outcome) { lock.withLock { first = first ?? outcome } }

        var outcome: Outcome { lock.withLock { first ?? .interrupted } }
    }

    /// Creates one source for each signal, which remains until the process ends. Only its action changes: on Linux, a
    /// new source receives nothing while another source of the same signal is being cancelled.
    private static func handle(_ number: Int32, _ action: @escaping @Sendable () -> Void) {
        guard handlers.set(number, action) else { return }
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { handlers.run(number) }
        source.resume()
        handlers.keep(source)
    }

    private static let handlers = Handlers()

    /// `@unchecked Sendable`: the lock guards the actions and the sources.
    private final class Handlers: @unchecked Sendable {
        private let lock = NSLock()
        private var actions: [Int32: @Sendable () -> Void] = [:]
        private var sources: [any DispatchSourceSignal] = []

        /// Returns true if the signal had no action before.
        func set(_ number: Int32, _ action: @escaping @Sendable () -> Void) -> Bool {
            lock.withLock { actions.updateValue(action, forKey: number) == nil }
        }

        func run(_ number: Int32) {
            let action = lock.withLock { actions[number] }
            action?()
        }

        func keep(_ source: any DispatchSourceSignal) {
            lock.withLock { sources.append(source) }
        }
    }
}

/// Ends a program that hangs.
enum Watchdog {
    static func start(_ limit: Interval?) throws {
        guard let limit else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.inSeconds) {
            StandardStream.error.line("imrepl: the watchdog ended it after \(limit.text)")
            endProcess(.watchdog)
        }
    }
}
