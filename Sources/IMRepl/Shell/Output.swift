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
    private let isSilent: Bool
    private let state = Mutex(State())

    init(colour: Bool, isSilent: Bool = false) {
        self.colour = colour
        self.isSilent = isSilent
    }

    /// From now on lines appear above the line being edited.
    func attach(_ editor: (any LineEditor)?) {
        state.withLock { $0.editor = editor }
    }

    /// A line, or several, of results.
    func line(_ text: String) {
        guard !isSilent else { return }
        let editor = state.withLock { $0.editor }
        if let editor {
            editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        } else {
            state.withLock { _ in StandardStream.out.line(text) }
        }
    }

    /// A diagnostic.
    func error(_ text: String) {
        guard !isSilent else { return }
        let editor = state.withLock { $0.editor }
        if let editor {
            editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        } else {
            state.withLock { _ in StandardStream.error.line(text) }
        }
    }

    /// Wraps a line into a colour, when colours are allowed.
    func coloured(_ text: String, _ colour: Prompt.Colour) -> String {
        self.colour && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
