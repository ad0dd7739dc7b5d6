import Dispatch
import Foundation
import IMShell
import SansIO

/// The process's signal handling. A session file needs none: it contains all processed events already.
enum Signals {
    /// The signals that end the program, with its exit code.
    private static let ending: [(number: Int32, outcome: Outcome)] = [
        (SIGHUP, .hungUp), (SIGINT, .interrupted), (SIGQUIT, .quitSignal), (SIGTERM, .terminated),
    ]

    /// Ends the program with the signal's code, because an interrupted script has not succeeded.
    static func endOnSignals() {
        // A write detects a closed reader; the signal would end the program without a message.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is reported as a failed write, and not by a signal.
        signal(SIGXFSZ, SIG_IGN)
        for (number, outcome) in ending where !isIgnored(number) { handle(number) { end(outcome) } }
    }

    /// True if the parent process wants the program to outlive the terminal, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        guard number == SIGHUP else { return false }
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return SystemDifferences.ignoresSignal(action)
    }

    /// Registers an action for the end of the program by a signal: it may take no longer than ``endingsTimeout``.
    static func beforeEnd(_ action: @escaping @Sendable () -> Void) { endings.add(action) }

    /// Closes the program properly from outside its work. Must not be called on a thread that other threads wait for.
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

        /// Runs each action once, however many signals come.
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

    /// Waits for a signal that ends the program, which then has time to end in order.
    ///
    /// - Parameter begin: receives a closure that ends it without a signal.
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

    /// Each signal keeps one source for good, and only its action changes: on Linux, a source that is made while
    /// another one of the same signal is being cancelled receives nothing.
    private static func handle(_ number: Int32, _ action: @escaping @Sendable () -> Void) {
        guard handlers.set(number, action) else { return }
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { handlers.run(number) }
        source.resume()
        handlers.keep(source)
    }

    private static let handlers = Handlers()

    /// `@unchecked Sendable`: the lock guards both.
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
