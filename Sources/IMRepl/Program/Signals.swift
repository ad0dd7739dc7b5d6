import Dispatch
import Foundation
import SansIO

/// What the process does about signals. A session file needs no care: whatever was acted upon is in it already.
enum Signals {
    /// Ends the program with the signal's code; a script that is interrupted has not succeeded.
    static func endOnSignals() {
        // A reader that went away is noticed when writing; the signal would end the program without a word.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is told as one that cannot be written, and not by a signal.
        signal(SIGXFSZ, SIG_IGN)
        handle(SIGTERM) { exit(Outcome.terminated.rawValue) }
        handle(SIGINT) { exit(Outcome.interrupted.rawValue) }
    }

    /// At the prompt ^C stops the command that runs, not the shell.
    static func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        handle(SIGINT, action)
    }

    /// Waits for a signal that ends the program, which then has the time to end in order.
    static func awaitEnd() -> Outcome {
        let (signals, end) = (DispatchSemaphore(value: 0), EndingSignal())
        for (number, outcome) in [(SIGINT, Outcome.interrupted), (SIGTERM, .terminated)] {
            handle(number) {
                end.set(outcome)
                signals.signal()
            }
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

    /// Each signal has one source for good, and its action is what changes: on Linux a source that is made while another
    /// one of the same signal is being taken down hears nothing.
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

        /// True when the signal had no action before.
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
            exit(Outcome.watchdog.rawValue)
        }
    }
}
