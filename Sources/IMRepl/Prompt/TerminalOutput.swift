import Foundation
import IMSession
import IMShell
import LineEditing
import SansIO
import Synchronization

/// A shell's output on a terminal, or to stdout and stderr: results to the one, diagnostics to the other, and
/// everything above the line that is being edited, if there is one.
final class TerminalOutput: ShellOutput {
    /// A line that is not shown yet.
    struct Held {
        var text: String
        var stream: StandardStream
    }

    private struct Fields {
        /// Lines that are held until their destination is known; nil if lines go to the screen.
        var held: [Held]?
        /// True if the events of a live world are held too, because a pager uses the screen.
        var holdsEvents = false
        /// The number of lines dropped because too many were held.
        var droppedCount = 0
        var editor: (any LineEditor)?
        /// The line below all others that shows the progress of a wait.
        var status: String?
        var clock = EventClock.relative
    }

    /// Shared with the outputs that do not wait.
    private final class State: Sendable {
        let fields = Mutex(Fields())
    }

    let colour: Bool
    let form: OutputForm
    private let state: State
    /// True if a line may wait for its reader; otherwise it is dropped if there is no room for it.
    private let waits: Bool

    init(colour: Bool, form: OutputForm = .text) {
        self.colour = colour && form == .text
        self.form = form
        state = State()
        waits = true
    }

    /// An output to the same destination, for threads that must not wait for a stalled reader.
    init(nonBlocking output: TerminalOutput) {
        (colour, form, state) = (output.colour, output.form, output.state)
        waits = false
    }

    var nonBlocking: any ShellOutput { TerminalOutput(nonBlocking: self) }

    /// Shows further lines above the line that is being edited; earlier lines are written before that line appears.
    func attach(_ editor: (any LineEditor)?) {
        LineQueue.standard.drain()
        state.fields.withLock { $0.editor = editor }
    }

    var clock: EventClock {
        get { state.fields.withLock { $0.clock } }
        set { state.fields.withLock { $0.clock = newValue } }
    }

    var columns: Int? { screen?.columns }

    /// The size of the terminal; nil if the output is none.
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

    /// The maximum number of lines that are held while a person reads.
    private static let heldMax = 20_000

    /// Starts to hold the lines of a command. Events are not held: a flood of them is no part of the command's answer.
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
    func takeHeld() -> [Held] {
        state.fields.withLock { fields in
            defer { if fields.held != nil { fields.held = [] } }
            return fields.held ?? []
        }
    }

    /// Starts to hold events too, after those already queued for the screen are written.
    func holdEvents() {
        state.fields.withLock { $0.holdsEvents = true }
        LineQueue.standard.drain()
    }

    /// Stops holding: the held lines are shown first, in their order.
    func release(_ held: [Held]) {
        var lines = held
        while true {
            for line in lines { show(line.text, on: line.stream) }
            let (rest, dropped) = state.fields.withLock { fields -> ([Held], Int) in
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
            guard let count = fields.held?.count, waits || fields.holdsEvents else { return false }
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

    // MARK: Status line

    /// True if the status line can be seen.
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
