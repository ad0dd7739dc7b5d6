import Foundation
import LineEditing
import Synchronization

/// Where the shell's words go: results to stdout, diagnostics to stderr, and everything above the line being edited when
/// there is one.
final class Output: Sendable {
    private struct State {
        var editor: (any LineEditor)?
    }

    /// Whether lines may be coloured.
    let colour: Bool
    /// Takes the lines instead of stdout and stderr; nil for those.
    private let listener: (@Sendable (String) -> Void)?
    private let state = Mutex(State())

    init(colour: Bool, to listener: (@Sendable (String) -> Void)? = nil) {
        self.colour = colour
        self.listener = listener
    }

    /// Says nothing to anybody.
    static var silent: Output { Output(colour: false) { _ in } }

    /// From now on lines appear above the line being edited.
    func attach(_ editor: (any LineEditor)?) {
        state.withLock { $0.editor = editor }
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
        let editor = state.withLock { $0.editor }
        if let editor {
            editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        } else {
            state.withLock { _ in stream.line(text) }
        }
    }

    /// Wraps a line into a colour, when colours are allowed.
    func coloured(_ text: String, _ colour: Prompt.Colour) -> String {
        self.colour && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
