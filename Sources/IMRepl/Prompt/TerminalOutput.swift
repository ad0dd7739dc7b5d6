import Foundation
import IMSession
import IMShell
import LineEditing
import SansIO
import Synchronization

/// The output of a shell: results go to stdout, diagnostics to stderr. While a line is edited on a terminal, both
/// appear above that line.
final class TerminalOutput: ShellOutput {
    /// A line that is not shown yet.
    struct HeldLine {
        var text: String
        var stream: StandardStream
    }

    private struct Fields {
        /// The lines that are held until it is known if they go to the screen or to a pager; nil if no lines are held.
        var held: [HeldLine]?
        /// True if the events of a live world are held too, because a pager uses the screen.
        var holdsEvents = false
        /// The number of lines dropped because too many were held.
        var droppedCount = 0
        var editor: (any LineEditor)?
        /// The line below all others that shows the progress of a wait.
        var status: String?
        var clock = EventClock.relative
    }

    /// Shared with the outputs of ``nonBlocking``.
    private final class State: Sendable {
        let fields = Mutex(Fields())
    }

    let colour: Bool
    let form: OutputForm
    private let state: State
    /// True if writing a line may wait for its reader. False if a line is dropped when the queue is full.
    private let mayWait: Bool

    init(colour: Bool, form: OutputForm = .text) {
        self.colour = colour && form == .text
        self.form = form
        state = State()
        mayWait = true
    }

    /// An output to the same destination, for threads that must not wait for a stalled reader.
    init(nonBlocking output: TerminalOutput) {
        (colour, form, state) = (output.colour, output.form, output.state)
        mayWait = false
    }

    var nonBlocking: any ShellOutput { TerminalOutput(nonBlocking: self) }

    /// Shows further lines above the line that `editor` edits; nil if no line is edited any more. Earlier lines are
    /// written first.
    func attach(_ editor: (any LineEditor)?) {
        LineQueue.standard.drain()
        state.fields.withLock { $0.editor = editor }
    }

    var clock: EventClock {
        get { state.fields.withLock { $0.clock } }
        set { state.fields.withLock { $0.clock = newValue } }
    }

    var columns: Int? { screen?.columns }

    /// The size of the terminal; nil if the output is no terminal.
    var screen: (columns: Int, rows: Int)? {
        guard form == .text, isatty(STDOUT_FILENO) != 0 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    func clearScreen() {
        guard screen != nil else { return }
        StandardStream.out.raw("\u{1B}[H\u{1B}[2J\u{1B}[3J")
    }

    // MARK: Held lines

    /// The maximum number of lines that are held while a pager is open.
    private static let heldMax = 20_000

    /// Starts to hold the lines of a command. Events are not held, because they are no part of the answer and can be
    /// many.
    ///
    /// - Returns: false if lines are held already.
    func hold() -> Bool {
        state.fields.withLock { fields in
            guard fields.held == nil else { return false }
            fields.held = []
            return true
        }
    }

    /// Removes and returns the held lines; further lines are still held.
    func takeHeld() -> [HeldLine] {
        state.fields.withLock { fields in
            defer { if fields.held != nil { fields.held = [] } }
            return fields.held ?? []
        }
    }

    /// Starts to hold events too. Events that are already queued for the screen are written first.
    func holdEvents() {
        state.fields.withLock { $0.holdsEvents = true }
        LineQueue.standard.drain()
    }

    /// Shows `held` and all lines that were held later, in their order, and stops holding.
    func release(_ held: [HeldLine]) {
        var lines = held
        while true {
            for line in lines { show(line.text, on: line.stream) }
            let (rest, dropped) = state.fields.withLock { fields -> ([HeldLine], Int) in
                let rest = fields.held ?? []
                fields.held = rest.isEmpty ? nil : []
                if rest.isEmpty { fields.holdsEvents = false }
                defer { fields.droppedCount = 0 }
                return (rest, fields.droppedCount)
            }
            if dropped > 0 { show("\(dropped) more lines are not shown; they are in the recording", on: .error) }
            if rest.isEmpty { return }
            lines = rest
        }
    }

    func write(_ text: String, to stream: ShellStream) {
        let stream: StandardStream = stream == .results ? .out : .error
        let isHeld = state.fields.withLock { fields in
            guard let count = fields.held?.count, mayWait || fields.holdsEvents else { return false }
            if count < Self.heldMax {
                fields.held?.append(HeldLine(text: text, stream: stream))
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
        if mayWait {
            LineQueue.standard.write(text, write)
        } else {
            LineQueue.standard.post(text, to: stream.rawValue, write)
        }
    }

    // MARK: Status line

    /// True if the output is a terminal that can show the status line.
    var showsStatus: Bool {
        form == .text && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows the progress of a wait, below everything else; nil when it is over.
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
