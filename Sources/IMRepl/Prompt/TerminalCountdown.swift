import Foundation
import IMShell
import SansIO

/// The remaining real time of a wait, in one line of a terminal.
///
/// `@unchecked Sendable`: all properties are constant, and a timer may be stopped from any thread.
final class TerminalCountdown: Countdown, @unchecked Sendable {
    private let output: TerminalOutput
    private let end: ContinuousClock.Instant
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - length: the maximum real time.
    ///   - output: shows the line if it is a terminal.
    init(_ length: Interval, on output: TerminalOutput) {
        self.output = output
        end = .now + .nanoseconds(length.nanoseconds)
        let timer = DispatchSource.makeTimerSource(queue: .global())
        self.timer = timer
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [end, output] in
            let left = ContinuousClock.now.duration(to: end).components.seconds
            output.status(left > 0 ? "\(Interval.seconds(left).longText) left; ^C stops" : nil)
        }
        timer.resume()
    }

    func stop() {
        timer.cancel()
        output.status(nil)
    }
}

extension TerminalOutput {
    func countdown(_ length: Interval) -> (any Countdown)? {
        length > .seconds(2) && showsStatus ? TerminalCountdown(length, on: self) : nil
    }
}
