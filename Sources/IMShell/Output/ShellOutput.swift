import IMDebugger
import IMExport
import IMProfiles
import IMSession
import IMText
import SansIO
import Synchronization

/// Receives a shell's output. The program that runs the shell implements `write` and so decides where lines are
/// written. The format of the lines is the same in all programs.
package protocol ShellOutput: Sendable {
    /// Whether the lines are text or JSON.
    var form: OutputForm { get }
    /// True if lines may contain colours.
    var colour: Bool { get }
    /// The maximum number of terminal columns of a line; nil for no maximum.
    var columns: Int? { get }
    /// Which times of events are printed: the time since the start, the time of the wall clock, or both.
    var clock: EventClock { get nonmutating set }
    /// An output to the same destination that never blocks, for threads that must not wait for a slow reader of a pipe.
    var nonBlocking: any ShellOutput { get }

    /// Writes complete lines.
    func write(_ text: String, to stream: ShellStream)
    /// Clears the screen, if there is one.
    func clearScreen()
    /// Shows a line with the remaining real time of a wait; nil if the output cannot change a printed line.
    func countdown(_ length: Interval) -> (any Countdown)?
    /// Runs `body`. If `isOn` is true and the output supports it, a pager shows what `body` prints.
    func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value
}

/// Whether an output prints text or JSON.
package enum OutputForm: Sendable { case text, json }

/// The stream that receives a line: results on standard output, diagnostics on standard error.
package enum ShellStream: Sendable { case results, diagnostics }

/// A line that shows the remaining time of a wait.
package protocol Countdown: Sendable {
    func stop()
}

extension ShellOutput {
    package var columns: Int? { nil }
    package var clock: EventClock {
        get { .relative }
        nonmutating set {}
    }
    package var nonBlocking: any ShellOutput { self }
    package func clearScreen() {}
    package func countdown(_ length: Interval) -> (any Countdown)? { nil }
    package func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value { try body() }

    /// Prints one or several lines of results. Control characters are escaped, so that they have no effect on a
    /// terminal.
    package func line(_ text: String) {
        form == .json ? object(.init(.text, text: text)) : write(fitted(TerminalText.quoted(text)), to: .results)
    }

    /// Prints a line of results, with colours if they are allowed.
    package func line(_ parts: [StyledText]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        let quoted = quoted(parts)
        guard let columns else { return write(coloured(quoted), to: .results) }
        write(LineWrap.rows(quoted, columns: columns).map(coloured).joined(separator: "\n"), to: .results)
    }

    /// Prints a line without wrapping it. For lines that a program reads, and for tables and drawings.
    package func verbatim(_ text: String) {
        form == .json ? object(.init(.text, text: text)) : write(TerminalText.quoted(text), to: .results)
    }

    package func verbatim(_ parts: [StyledText]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        write(coloured(quoted(parts)), to: .results)
    }

    /// Prints a diagnostic.
    package func error(_ text: String) {
        form == .json ? object(.init(.notice, text: text)) : write(fitted(TerminalText.quoted(text)), to: .diagnostics)
    }

    /// Prints an object if the output is JSON; prints nothing if it is text.
    package func object(_ object: @autoclosure () throws -> AnswerObject) rethrows {
        if form == .json { write(try object().json, to: .results) }
    }

    /// Prints an event.
    ///
    /// - Parameter undelivered: if the event is a frame that did not arrive, whether it was lost or is in flight;
    ///   otherwise nil.
    package func event(
        _ event: SessionEvent, _ text: String, dialect: any Dialect, undelivered: UndeliveredFrame? = nil
    ) {
        guard form == .json else {
            return line(EventText.line(event, text, columns: columns, clock: clock, undelivered: undelivered))
        }
        var callback: Callback?
        if case .effect(let effect) = event.content {
            callback = effect.ofClient.flatMap { dialect.callback(for: $0) }
        }
        object(
            AnswerObject(
                event: EventObject.members(
                    of: event, channel: (event.channel ?? .runtime).name, role: event.role?.name ?? "unreadable",
                    text: text, callback: callback, undelivered: undelivered, wall: clock.wall)))
    }

    private func fitted(_ text: String) -> String {
        columns.map { LineWrap.wrapped(text, columns: $0) } ?? text
    }

    private func quoted(_ parts: [StyledText]) -> [StyledText] {
        parts.map { StyledText(TerminalText.quoted($0.text, keeping: .oneLine), $0.colour) }
    }

    /// Adds escape sequences for the colours. No other code prints colours.
    private func coloured(_ parts: [StyledText]) -> String {
        parts.map { part in
            colour && part.colour != .plain && !part.text.isEmpty
                ? "\u{1B}[\(part.colour.rawValue)m\(part.text)\u{1B}[0m" : part.text
        }.joined()
    }
}

/// An output that passes each line to a closure, for tests and for programs that show lines in their own way.
package struct LineOutput: ShellOutput {
    package let form: OutputForm
    package let colour = false
    private let receive: @Sendable (String) -> Void
    private let clockBox = ClockBox()

    private final class ClockBox: Sendable {
        let clock = Mutex(EventClock.relative)
    }

    package init(form: OutputForm = .text, to receive: @escaping @Sendable (String) -> Void) {
        self.form = form
        self.receive = receive
    }

    /// An output that discards all lines.
    package static var silent: LineOutput { LineOutput { _ in } }

    package var clock: EventClock {
        get { clockBox.clock.withLock { $0 } }
        nonmutating set { clockBox.clock.withLock { $0 = newValue } }
    }

    package func write(_ text: String, to stream: ShellStream) { receive(text) }
}
