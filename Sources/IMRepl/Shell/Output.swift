import Foundation
import LineEditing
import Synchronization

/// Where the shell's words go: results to stdout, diagnostics to stderr, and everything above the line being edited when
/// there is one.
final class Output: Sendable {
    private final class State: Sendable {
        let editor = Mutex<(any LineEditor)?>(nil)
    }

    /// Whether lines may be coloured.
    let colour: Bool
    /// Takes the lines instead of stdout and stderr; nil for those.
    private let listener: (@Sendable (String) -> Void)?
    private let state: State
    /// Whether a line may wait for its reader; one that may not is dropped when there is no room for it.
    private let waits: Bool

    init(colour: Bool, to listener: (@Sendable (String) -> Void)? = nil) {
        self.colour = colour
        self.listener = listener
        state = State()
        waits = true
    }

    private init(unwaiting output: Output) {
        (colour, listener, state) = (output.colour, output.listener, output.state)
        waits = false
    }

    /// The same place for threads that must not be held up by a reader that stops.
    var unwaiting: Output { Output(unwaiting: self) }

    /// Says nothing to anybody.
    static var silent: Output { Output(colour: false) { _ in } }

    /// From now on lines appear above the line being edited.
    func attach(_ editor: (any LineEditor)?) {
        if editor == nil { LineQueue.standard.drain() }
        state.editor.withLock { $0 = editor }
    }

    /// How wide the terminal is; nil where the lines go elsewhere.
    var columns: Int? {
        guard listener == nil, isatty(STDOUT_FILENO) != 0 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// A line, or several, of results. Whatever they hold, a terminal obeys nothing of it.
    func line(_ text: String) { write(fitted(TerminalText.quoted(text)), to: .out) }

    /// A line in colours, where they are allowed.
    func line(_ parts: [Prompt.Part]) {
        let quoted = parts.map { Prompt.Part(TerminalText.quoted($0.text, keeping: .oneLine), $0.colour) }
        guard let columns else { return write(coloured(quoted), to: .out) }
        write(LineWrap.rows(quoted, columns: columns).map(coloured).joined(separator: "\n"), to: .out)
    }

    /// A line that means something to a program, or has a form of its own: no width breaks it.
    func verbatim(_ text: String) { write(TerminalText.quoted(text), to: .out) }

    func verbatim(_ parts: [Prompt.Part]) {
        write(
            coloured(parts.map { Prompt.Part(TerminalText.quoted($0.text, keeping: .oneLine), $0.colour) }), to: .out)
    }

    /// A diagnostic.
    func error(_ text: String) { write(fitted(TerminalText.quoted(text)), to: .error) }

    private func fitted(_ text: String) -> String {
        columns.map { LineWrap.wrapped(text, columns: $0) } ?? text
    }

    /// Takes what is ready for the terminal.
    private func write(_ text: String, to stream: StandardStream) {
        if let listener { return listener(text) }
        let state = state
        let write: @Sendable (String) -> Void = { text in
            if let editor = state.editor.withLock({ $0 }) {
                editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            } else {
                stream.line(text)
            }
        }
        if waits { LineQueue.standard.write(text, write) } else { LineQueue.standard.post(text, write) }
    }

    /// The only place where escape sequences are made.
    private func coloured(_ parts: [Prompt.Part]) -> String {
        parts.map { part in
            colour && part.colour != .plain && !part.text.isEmpty
                ? "\u{1B}[\(part.colour.rawValue)m\(part.text)\u{1B}[0m" : part.text
        }.joined()
    }
}
