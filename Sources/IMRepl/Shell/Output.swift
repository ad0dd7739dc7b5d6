import Foundation
import IMDialects
import IMWorld
import LineEditing
import Synchronization

/// Where the shell's words go: results to stdout, diagnostics to stderr, and everything above the line being edited when
/// there is one.
final class Output: Sendable {
    /// A line that is not shown yet.
    struct Held {
        var text: String
        var stream: StandardStream
    }

    private struct State {
        /// Lines that wait until it is known where they go; nil when they go to the screen.
        var held: [Held]?
        var editor: (any LineEditor)?
        /// The line below all others that tells how a wait goes on.
        var status: String?
    }

    /// What the lines are.
    enum Form { case text, json }

    /// Whether lines may be coloured.
    let colour: Bool
    let form: Form
    /// Takes the lines instead of stdout and stderr; nil for those.
    private let listener: (@Sendable (String) -> Void)?
    private let state = Mutex(State())

    init(colour: Bool, form: Form = .text, to listener: (@Sendable (String) -> Void)? = nil) {
        self.colour = colour && form == .text
        self.form = form
        self.listener = listener
    }

    /// Says nothing to anybody.
    static var silent: Output { Output(colour: false) { _ in } }

    /// From now on lines appear above the line being edited.
    func attach(_ editor: (any LineEditor)?) {
        state.withLock { $0.editor = editor }
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

    /// A line, or several, of results.
    func line(_ text: String) {
        form == .json ? object(.words(.text, text)) : write(text, to: .out)
    }

    /// A diagnostic.
    func error(_ text: String) {
        form == .json ? object(.words(.notice, text)) : write(text, to: .error)
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
                    of: event, channel: event.channelName, role: event.roleName, text: text, callback: callback)))
    }

    func hold() { state.withLock { $0.held = [] } }

    /// Ends the holding.
    func takeHeld() -> [Held] {
        state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
    }

    func write(_ text: String, to stream: StandardStream) {
        if let listener { return listener(text) }
        let isHeld = state.withLock { state in
            state.held?.append(Held(text: text, stream: stream))
            return state.held != nil
        }
        if isHeld { return }
        let editor = state.withLock { $0.editor }
        if let editor {
            let status = state.withLock { $0.status }
            if status != nil { Self.raw("\r\u{1B}[K") }
            editor.post(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            if let status { Self.raw(status) }
        } else {
            state.withLock { state in
                if state.status != nil { Self.raw("\r\u{1B}[K") }
                stream.line(text)
                if let status = state.status { Self.raw(status) }
            }
        }
    }

    /// Whether somebody sees a line that changes.
    var showsStatus: Bool {
        listener == nil && form == .text && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows how a wait goes on, below everything else; nil when it is over.
    func status(_ text: String?) {
        state.withLock { state in
            guard state.status != text else { return }
            state.status = text
            Self.raw("\r\u{1B}[K" + (text ?? ""))
        }
    }

    private static func raw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Wraps a line into a colour, when colours are allowed.
    func coloured(_ text: String, _ colour: Prompt.Colour) -> String {
        self.colour && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
