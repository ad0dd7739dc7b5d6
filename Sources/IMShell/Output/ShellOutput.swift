import IMDebugger
import IMExport
import IMProfiles
import IMSession
import IMText
import SansIO
import Synchronization

/// Where a shell's words go. Whoever runs a shell says what becomes of a line that is ready; how lines are made of what
/// the shell says is the same everywhere.
package protocol ShellOutput: Sendable {
    /// What the lines are.
    var form: OutputForm { get }
    /// Whether lines may be coloured.
    var colour: Bool { get }
    /// How wide the lines may be; nil where they may be of any length.
    var columns: Int? { get }
    /// How the times of events are shown.
    var clock: EventClock { get nonmutating set }
    /// The same place for threads that must not be held up by a reader that stops.
    var unwaiting: any ShellOutput { get }

    /// Takes what is ready.
    func write(_ text: String, to stream: ShellStream)
    /// Takes everything off the screen, where there is one.
    func clearScreen()
    /// Shows how much real time is left while something waits; nil where nobody sees a line that changes.
    func countdown(_ length: Interval) -> (any Countdown)?
    /// Does something whose answer a person may want page by page.
    func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value
}

/// What the lines of an output are.
package enum OutputForm: Sendable { case text, json }

/// What a line is to its reader.
package enum ShellStream: Sendable { case results, diagnostics }

/// A line that changes while something waits.
package protocol Countdown: Sendable {
    func stop()
}

extension ShellOutput {
    package var columns: Int? { nil }
    package var clock: EventClock {
        get { .relative }
        nonmutating set {}
    }
    package var unwaiting: any ShellOutput { self }
    package func clearScreen() {}
    package func countdown(_ length: Interval) -> (any Countdown)? { nil }
    package func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value { try body() }

    /// A line, or several, of results. Whatever they hold, a terminal obeys nothing of it.
    package func line(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(fitted(TerminalText.quoted(text)), to: .results)
    }

    /// A line in colours, where they are allowed.
    package func line(_ parts: [StyledText]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        let quoted = quoted(parts)
        guard let columns else { return write(coloured(quoted), to: .results) }
        write(LineWrap.rows(quoted, columns: columns).map(coloured).joined(separator: "\n"), to: .results)
    }

    /// A line that means something to a program, or has a form of its own: no width breaks it.
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

    /// An object of the conversation; nothing where the lines are for people.
    package func object(_ object: @autoclosure () throws -> AnswerObject) rethrows {
        if form == .json { write(try object().json, to: .results) }
    }

    /// Something that happened.
    ///
    /// - Parameter undelivered: what became of its frame, if that is known and it did not arrive.
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

    /// The only place where escape sequences of colours are made.
    private func coloured(_ parts: [StyledText]) -> String {
        parts.map { part in
            colour && part.colour != .plain && !part.text.isEmpty
                ? "\u{1B}[\(part.colour.rawValue)m\(part.text)\u{1B}[0m" : part.text
        }.joined()
    }
}

/// Gives each line to a closure: for tests, and for whoever shows lines in a way of their own.
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

    /// Says nothing to anybody.
    package static var silent: LineOutput { LineOutput { _ in } }

    package var clock: EventClock {
        get { times.clock.withLock { $0 } }
        nonmutating set { times.clock.withLock { $0 = newValue } }
    }

    package func write(_ text: String, to stream: ShellStream) { take(text) }
}
