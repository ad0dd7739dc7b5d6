import Dispatch
import Foundation
import SansIO

/// What the process does about signals. A session file needs no care: whatever was acted upon is in it already.
enum Signals {
    /// Ends the program with the signal's code; a script that is interrupted has not succeeded.
    static func endOnSignals() {
        // A reader that went away is noticed when writing; the signal would end the program without a word.
        signal(SIGPIPE, SIG_IGN)
        keep(source(SIGTERM) { exit(Outcome.terminated.rawValue) })
        keep(source(SIGINT) { exit(Outcome.interrupted.rawValue) })
    }

    /// At the prompt ^C stops the command that runs, not the shell.
    static func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        sources.drop(SIGINT)
        keep(source(SIGINT, action))
    }

    private static func source(
        _ number: Int32, _ action: @escaping @Sendable () -> Void
    ) -> (Int32, any DispatchSourceSignal) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { action() }
        source.resume()
        return (number, source)
    }

    private static func keep(_ source: (Int32, any DispatchSourceSignal)) {
        sources.add(source.0, source.1)
    }

    private static let sources = Sources()

    /// `@unchecked Sendable`: the lock guards the list.
    private final class Sources: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [(Int32, any DispatchSourceSignal)] = []

        func add(_ number: Int32, _ source: any DispatchSourceSignal) {
            lock.withLock { list.append((number, source)) }
        }

        func drop(_ number: Int32) {
            let dropped = lock.withLock {
                let dropped = list.filter { $0.0 == number }
                list.removeAll { $0.0 == number }
                return dropped
            }
            for (_, source) in dropped { source.cancel() }
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
