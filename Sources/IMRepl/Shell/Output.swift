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

    /// A line, or several, of results.
    func line(_ text: String) { write(text, to: .out) }

    /// A diagnostic.
    func error(_ text: String) { write(text, to: .error) }

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

    /// Wraps a line into a colour, when colours are allowed.
    func coloured(_ text: String, _ colour: Prompt.Colour) -> String {
        self.colour && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
