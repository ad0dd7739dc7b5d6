import IMDebugger
import IMExport
import IMProfiles
import IMSession
import IMText
import SansIO
import Synchronization

/// Receives a shell's output. The program that runs a shell decides where complete lines go; how lines are made is the
/// same everywhere.
package protocol ShellOutput: Sendable {
    /// The form of the lines.
    var form: OutputForm { get }
    /// True if lines may be coloured.
    var colour: Bool { get }
    /// The maximum width of the lines; nil for any length.
    var columns: Int? { get }
    /// The clock for the times of events.
    var clock: EventClock { get nonmutating set }
    /// An output to the same destination for threads that must not wait for a stalled reader.
    var nonBlocking: any ShellOutput { get }

    /// Writes complete lines.
    func write(_ text: String, to stream: ShellStream)
    /// Clears the screen, if there is one.
    func clearScreen()
    /// Shows the remaining real time of a wait; nil if a changing line cannot be shown.
    func countdown(_ length: Interval) -> (any Countdown)?
    /// Runs `body`, whose answer may go through a pager.
    func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value
}

/// The form of an output's lines.
package enum OutputForm: Sendable { case text, json }

/// The kind of a line.
package enum ShellStream: Sendable { case results, diagnostics }

/// A line that changes during a wait.
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

    /// One or several lines of results. Control characters in them have no effect on a terminal.
    package func line(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(fitted(TerminalText.quoted(text)), to: .results)
    }

    /// A line in colours, if they are allowed.
    package func line(_ parts: [StyledText]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        let quoted = quoted(parts)
        guard let columns else { return write(coloured(quoted), to: .results) }
        write(LineWrap.rows(quoted, columns: columns).map(coloured).joined(separator: "\n"), to: .results)
    }

    /// A line for programs, or with its own layout: it is never wrapped.
    package func verbatim(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(TerminalText.quoted(text), to: .results)
    }

    package func verbatim(_ parts: [StyledText]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        write(coloured(quoted(parts)), to: .results)
    }

    /// A diagnostic.
    package func error(_ text: String) {
        form == .json ? object(.words(.notice, text)) : write(fitted(TerminalText.quoted(text)), to: .diagnostics)
    }

    /// An object of the conversation; not written if the lines are for people.
    package func object(_ object: @autoclosure () throws -> AnswerObject) rethrows {
        if form == .json { write(try object().json, to: .results) }
    }

    /// An event.
    ///
    /// - Parameter undelivered: the fate of its frame, if it is known that the frame did not arrive.
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

    /// The only code that makes colour escape sequences.
    private func coloured(_ parts: [StyledText]) -> String {
        parts.map { part in
            colour && part.colour != .plain && !part.text.isEmpty
                ? "\u{1B}[\(part.colour.rawValue)m\(part.text)\u{1B}[0m" : part.text
        }.joined()
    }
}

/// Passes each line to a closure: for tests, and for programs that show lines in their own way.
package struct LineOutput: ShellOutput {
    package let form: OutputForm
    package let colour = false
    private let take: @Sendable (String) -> Void
    private let times = Times()

    private final class Times: Sendable {
        let clock = Mutex(EventClock.relative)
    }

    package init(form: OutputForm = .text, to take: @escaping @Sendable (String) -> Void) {
        self.form = form
        self.take = take
    }

    /// Discards all output.
    package static var silent: LineOutput { LineOutput { _ in } }

    package var clock: EventClock {
        get { times.clock.withLock { $0 } }
        nonmutating set { times.clock.withLock { $0 = newValue } }
    }

    package func write(_ text: String, to stream: ShellStream) { take(text) }
}
