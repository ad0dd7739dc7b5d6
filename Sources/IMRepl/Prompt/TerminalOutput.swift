import Foundation
import IMSession
import IMShell
import LineEditing
import SansIO
import Synchronization

/// The words of a shell on a terminal, or wherever stdout and stderr lead: results to the one, diagnostics to the other,
/// and everything above the line being edited when there is one.
final class TerminalOutput: ShellOutput {
    /// A line that is not shown yet.
    struct Held {
        var text: String
        var stream: StandardStream
    }

    private struct Fields {
        /// Lines that wait until it is known where they go; nil when they go to the screen.
        var held: [Held]?
        /// Whether the events of a live world wait too, because a pager has the screen.
        var holdsEvents = false
        /// Lines that came when so many were waiting that they were not kept.
        var droppedCount = 0
        var editor: (any LineEditor)?
        /// The line below all others that tells how a wait goes on.
        var status: String?
        var clock = EventClock.relative
    }

    /// Shared with the places that do not wait.
    private final class State: Sendable {
        let fields = Mutex(Fields())
    }

    let colour: Bool
    let form: OutputForm
    private let state: State
    /// Whether a line may wait for its reader; one that may not is dropped when there is no room for it.
    private let waits: Bool

    init(colour: Bool, form: OutputForm = .text) {
        self.colour = colour && form == .text
        self.form = form
        state = State()
        waits = true
    }

    /// The same place for threads that must not be held up by a reader that stops.
    init(unwaiting output: TerminalOutput) {
        (colour, form, state) = (output.colour, output.form, output.state)
        waits = false
    }

    var unwaiting: any ShellOutput { TerminalOutput(unwaiting: self) }

    /// From now on lines appear above the line being edited; those that came before are written before it shows.
    func attach(_ editor: (any LineEditor)?) {
        LineQueue.standard.drain()
        state.fields.withLock { $0.editor = editor }
    }

    var clock: EventClock {
        get { state.fields.withLock { $0.clock } }
        set { state.fields.withLock { $0.clock = newValue } }
    }

    var columns: Int? { screen?.columns }

    /// How large the terminal is; nil where the lines go elsewhere.
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

    // MARK: Lines that wait

    /// More lines than this are not kept while a person reads.
    private static let heldMax = 20_000

    /// From now on the lines of a command wait. Events do not: a flood of them is no part of the command's answer.
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

    /// From now on events wait as well, and none is on its way to the screen.
    func holdEvents() {
        state.fields.withLock { $0.holdsEvents = true }
        LineQueue.standard.drain()
    }

    /// Ends the waiting: what waits is shown first, in the order in which it came.
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
            if dropped > 0 { show("\(dropped) lines more came meanwhile; they are in the recording", on: .error) }
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

    // MARK: A line that changes

    /// Whether somebody sees it.
    var showsStatus: Bool {
        form == .text && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
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
