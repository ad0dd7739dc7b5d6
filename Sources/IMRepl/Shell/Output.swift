import Foundation
import IMDialects
import IMExport
import IMSession
import LineEditing
import Synchronization
import TextDisplay

/// Where the shell's words go: results to stdout, diagnostics to stderr, and everything above the line being edited when
/// there is one.
final class Output: Sendable {
    /// A line that is not shown yet.
    struct Held {
        var text: String
        var stream: StandardStream
    }

    private struct Fields {
        /// Lines that wait until it is known where they go; nil when they go to the screen.
        var held: [Held]?
        /// Lines that came when so many were waiting that they were not kept.
        var droppedCount = 0
        var editor: (any LineEditor)?
        /// The line below all others that tells how a wait goes on.
        var status: String?
    }

    /// Shared with the places that do not wait.
    private final class State: Sendable {
        let fields = Mutex(Fields())
    }

    /// What the lines are.
    enum Form { case text, json }

    /// Whether lines may be coloured.
    let colour: Bool
    let form: Form
    /// Takes the lines instead of stdout and stderr; nil for those.
    private let listener: (@Sendable (String) -> Void)?
    private let state: State
    /// Whether a line may wait for its reader; one that may not is dropped when there is no room for it.
    private let waits: Bool

    init(colour: Bool, form: Form = .text, to listener: (@Sendable (String) -> Void)? = nil) {
        self.colour = colour && form == .text
        self.form = form
        self.listener = listener
        state = State()
        waits = true
    }

    private init(unwaiting output: Output) {
        (colour, form, listener, state) = (output.colour, output.form, output.listener, output.state)
        waits = false
    }

    /// The same place for threads that must not be held up by a reader that stops.
    var unwaiting: Output { Output(unwaiting: self) }

    /// Says nothing to anybody.
    static var silent: Output { Output(colour: false) { _ in } }

    /// From now on lines appear above the line being edited.
    func attach(_ editor: (any LineEditor)?) {
        if editor == nil { LineQueue.standard.drain() }
        state.fields.withLock { $0.editor = editor }
    }

    /// How wide the terminal is; nil where the lines go elsewhere.
    var columns: Int? { screen?.columns }

    /// How large the terminal is; nil where the lines go elsewhere.
    var screen: (columns: Int, rows: Int)? {
        guard listener == nil, form == .text, isatty(STDOUT_FILENO) != 0 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// A line, or several, of results. Whatever they hold, a terminal obeys nothing of it.
    func line(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(fitted(TerminalText.quoted(text)), to: .out)
    }

    /// A line in colours, where they are allowed.
    func line(_ parts: [Prompt.Part]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        let quoted = parts.map { Prompt.Part(TerminalText.quoted($0.text, keeping: .oneLine), $0.colour) }
        guard let columns else { return write(coloured(quoted), to: .out) }
        write(LineWrap.rows(quoted, columns: columns).map(coloured).joined(separator: "\n"), to: .out)
    }

    /// A line that means something to a program, or has a form of its own: no width breaks it.
    func verbatim(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(TerminalText.quoted(text), to: .out)
    }

    func verbatim(_ parts: [Prompt.Part]) {
        guard form == .text else { return line(parts.map(\.text).joined()) }
        write(
            coloured(parts.map { Prompt.Part(TerminalText.quoted($0.text, keeping: .oneLine), $0.colour) }), to: .out)
    }

    /// A diagnostic.
    func error(_ text: String) {
        form == .json ? object(.words(.notice, text)) : write(fitted(TerminalText.quoted(text)), to: .error)
    }

    private func fitted(_ text: String) -> String {
        columns.map { LineWrap.wrapped(text, columns: $0) } ?? text
    }

    /// An object of the conversation; nothing where the lines are for people.
    func object(_ object: @autoclosure () -> AnswerObject) {
        if form == .json { write(object().json, to: .out) }
    }

    /// Something that happened.
    func event(_ event: SessionEvent, _ text: String, dialect: any Dialect) {
        guard form == .json else { return line(EventText.line(event, text, output: self)) }
        var callback: Callback?
        if case .effect(let effect) = event.content {
            callback = effect.ofClient.flatMap { dialect.callback(for: $0) }
        }
        object(
            AnswerObject(
                event: EventObject.members(
                    of: event, channel: (event.channel ?? .runtime).name, role: event.role?.name ?? "unreadable",
                    text: text, callback: callback)))
    }

    /// More lines than this are not kept while a person reads.
    private static let heldMax = 20_000

    /// From now on lines wait.
    ///
    /// - Returns: false where they wait already.
    func hold() -> Bool {
        state.fields.withLock { fields in
            guard fields.held == nil else { return false }
            fields.held = []
            return true
        }
    }

    /// Takes the lines that wait; those that come go on waiting.
    func takeHeld() -> [Held] {
        state.fields.withLock { fields in
            defer { if fields.held != nil { fields.held = [] } }
            return fields.held ?? []
        }
    }

    /// Ends the waiting: what waits is shown first, in the order in which it came.
    func release(_ held: [Held]) {
        var lines = held
        while true {
            for line in lines { show(line.text, on: line.stream) }
            let (rest, dropped) = state.fields.withLock { fields -> ([Held], Int) in
                let rest = fields.held ?? []
                fields.held = rest.isEmpty ? nil : []
                defer { fields.droppedCount = 0 }
                return (rest, fields.droppedCount)
            }
            if dropped > 0 { show("\(dropped) lines more came meanwhile; they are in the recording", on: .error) }
            if rest.isEmpty { return }
            lines = rest
        }
    }

    /// Takes what is ready for the terminal.
    private func write(_ text: String, to stream: StandardStream) {
        if let listener { return listener(text) }
        let isHeld = state.fields.withLock { fields in
            guard let count = fields.held?.count else { return false }
            if count < Self.heldMax {
                fields.held?.append(Held(text: text, stream: stream))
            } else {
                fields.droppedCount += 1
            }
            return true
        }
        if !isHeld { show(text, on: stream) }
    }

    private func show(_ text: String, on stream: StandardStream) {
        let state = state
        let write: @Sendable (String) -> Void = { text in
            let (editor, status) = state.fields.withLock { ($0.editor, $0.status) }
            if status != nil { Self.raw("\r\u{1B}[K") }
            if let editor {
                editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            } else {
                stream.line(text)
            }
            if let status { Self.raw(status) }
        }
        if waits {
            LineQueue.standard.write(text, write)
        } else {
            LineQueue.standard.post(text, to: stream.rawValue, write)
        }
    }

    /// The only place where escape sequences of colours are made.
    private func coloured(_ parts: [Prompt.Part]) -> String {
        parts.map { part in
            colour && part.colour != .plain && !part.text.isEmpty
                ? "\u{1B}[\(part.colour.rawValue)m\(part.text)\u{1B}[0m" : part.text
        }.joined()
    }

    /// Whether somebody sees a line that changes.
    var showsStatus: Bool {
        listener == nil && form == .text && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows how a wait goes on, below everything else; nil when it is over.
    func status(_ text: String?) {
        state.fields.withLock { fields in
            guard fields.status != text else { return }
            fields.status = text
            Self.raw("\r\u{1B}[K" + (text ?? ""))
        }
    }

    private static func raw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
